"""EdgeDetectors: where an image has an edge, in which direction, and how exactly it must be there.

A pixel and its neighbour in some direction hold an edge fragment if they differ more than either of
them differs from its other neighbours. That depends on no threshold, and not on how bright or rich
in contrast the image is. What an image shows is seldom at the same pixel in the next; so a fragment
may float along a short strip across the edge, and there is a detector for every length of the
strip. For 28 x 28 pixels these are 43,904 columns of yes and no: many more than a classifier needs,
and something to choose from.

References
----------
Fleuret, "Fast Binary Feature Selection with Conditional Mutual Information", JMLR 5, 2004, section
5.1.2 and figure 3; after Fleuret and Geman, "Coarse-to-fine face detection", International Journal
of Computer Vision 41, 2001.

Examples
--------
>>> import numpy as np
>>> from sklearn.pipeline import make_pipeline
>>> from handful import InformationSelector
>>> from handful.features import EdgeDetectors
>>> rng = np.random.default_rng(0)
>>> images, y = rng.random((200, 9, 9)), np.arange(200) % 2
>>> images[y == 1, 4:] += 1  # an edge below the fourth row
>>> selector = InformationSelector(n_features_to_select=1)
>>> pipeline = make_pipeline(EdgeDetectors(output="packed"), selector).fit(images, y)
>>> pipeline.get_feature_names_out().tolist()
['edge(x=3, y=3, direction=S, tolerance=1)']
"""

from collections.abc import Iterator
from math import isqrt
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from handful import checks
from handful.columns import Bits

# Each direction and the step (down, right) from the darker pixel to the lighter one.
DIRECTIONS = {
    "N": (-1, 0),
    "NE": (-1, 1),
    "E": (0, 1),
    "SE": (1, 1),
    "S": (1, 0),
    "SW": (1, -1),
    "W": (0, -1),
    "NW": (-1, -1),
}
_OPPOSITE = 4  # as many places further
# Pixels whose differences are held at once, and a multiple of eight images.
_PIXELS = 1 << 19


class EdgeDetectors(TransformerMixin, BaseEstimator):
    """Grey images as boolean columns, one for each pixel, direction and tolerance.

    Parameters
    ----------
    image_shape : (int, int) or None
        Height and width of images that come as rows of pixels. None (default): square. Images that
        come as an array of shape (n_images, height, width) have their own.
    max_tolerance : int
        Tolerances run from 1 to this; the paper's 7.
    output : {"bool", "packed"}
        "bool": an array, a byte for each cell. "packed": a table of one bit for each cell, which
        handful's selectors take as it is, in a pipeline too; their ``transform`` of it is an array
        again.

    Attributes
    ----------
    image_shape_ : (int, int)
    n_features_in_ : int
        Pixels.
    n_output_features_ : int

    Notes
    -----
    A fragment in direction d lies at pixel p if the next pixel q in this direction is lighter, and
    their difference is larger, in absolute value, than the six between p or q and its other
    neighbours along d and at right angles to it; for diagonal directions these are diagonal
    neighbours. Where one of the eight pixels is outside the image there is no fragment. With
    tolerance t the detector answers whether there is one at any of t pixels in the direction d: at
    p, one ahead, one behind, two ahead and so on. So a detector with a larger tolerance says yes
    wherever one with a smaller does.

    Adding a constant to an image and multiplying it by a positive number change nothing; the
    negative of an image has the opposite directions; turning an image by a quarter turns pixels and
    directions with it. Columns are sorted by y, x, direction (N, NE, E, SE, S, SW, W, NW) and
    tolerance. Beside the answer, a few MB are allocated for a block of images.

    Examples
    --------
    >>> EdgeDetectors().fit(np.zeros((1, 28, 28))).n_output_features_
    43904
    >>> image = np.repeat([[0, 0, 0, 9, 9, 9]], 4, axis=0)[None]
    >>> detectors = EdgeDetectors(max_tolerance=2)
    >>> found = detectors.fit_transform(image)
    >>> detectors.get_feature_names_out()[found[0]].tolist()[:2]
    ['edge(x=1, y=1, direction=E, tolerance=2)', 'edge(x=2, y=1, direction=E, tolerance=1)']
    """

    def __init__(
        self,
        image_shape: tuple[int, int] | None = None,
        *,
        max_tolerance: int = 7,
        output: str = "bool",
    ) -> None:
        self.image_shape = image_shape
        self.max_tolerance = max_tolerance
        self.output = output

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the size of the images.

        Parameters
        ----------
        X : array of shape (n_images, height, width), or table of shape (n_images, n_pixels)
        y : ignored
        """
        checks.whole("max_tolerance", self.max_tolerance)
        checks.one_of("output", self.output, ("bool", "packed"))
        self._images(X, reset=True)
        self.n_output_features_ = self.n_features_in_ * len(DIRECTIONS) * self.max_tolerance
        return self

    def transform(self, X: Any) -> Any:
        """The detectors' answers.

        Parameters
        ----------
        X : array of shape (n_images, height, width), or table of shape (n_images, n_pixels)
        """
        check_is_fitted(self)
        images = self._images(X, reset=False)
        if self.output == "packed":
            packed = np.empty((-(-len(images) // 8), self.n_output_features_), np.uint8)
            for rows, block in self._blocks(images):
                packed[rows.start // 8 : -(-rows.stop // 8)] = block
            return Bits(packed, len(images), self.get_feature_names_out())
        answer = np.empty((len(images), self.n_output_features_), dtype=bool)
        for rows, block in self._blocks(images):
            n_rows = rows.stop - rows.start
            answer[rows] = np.unpackbits(block, axis=0, count=n_rows, bitorder="little")
        return answer

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Names such as ``edge(x=3, y=7, direction=NE, tolerance=2)``; x runs to the right, y down.

        Parameters
        ----------
        input_features : ignored
        """
        check_is_fitted(self)
        height, width = self.image_shape_
        names = [
            f"edge(x={x}, y={y}, direction={direction}, tolerance={tolerance})"
            for y in range(height)
            for x in range(width)
            for direction in DIRECTIONS
            for tolerance in range(1, self.max_tolerance + 1)
        ]
        return np.array(names, dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        tags.input_tags.three_d_array = True
        return tags

    def _images(self, X: Any, *, reset: bool) -> NDArray:
        """The checked images, as (n_images, height, width)."""
        own = X.shape[1:] if getattr(X, "ndim", 2) == 3 else None
        pixels = validate_data(self, X if own is None else X.reshape(len(X), -1), reset=reset)
        if pixels.dtype.kind == "O":
            pixels = pixels.astype(np.float64)
        if reset:
            self.image_shape_ = own or self._stated_shape(pixels.shape[1])
        elif own not in (None, self.image_shape_):
            raise ValueError(
                f"These images are of {own[0]} x {own[1]} pixels, and those that were fitted of "
                f"{self.image_shape_[0]} x {self.image_shape_[1]}."
            )
        return pixels.reshape(len(pixels), *self.image_shape_)

    def _stated_shape(self, n_pixels: int) -> tuple[int, int]:
        side = isqrt(n_pixels)
        height, width = (side, side) if self.image_shape is None else self.image_shape
        if height * width != n_pixels:
            stated = "square images" if self.image_shape is None else f"{height} x {width} images"
            raise ValueError(
                f"X has {n_pixels} pixels to a row, which are no {stated}; say image_shape="
                "(height, width), or give an array of shape (n_images, height, width)."
            )
        return height, width

    def _blocks(self, images: NDArray) -> Iterator[tuple[slice, NDArray[np.uint8]]]:
        """The answers for some images at a time, eight images to a byte."""
        some = 8 * max(1, _PIXELS // (8 * images[0].size))
        for start in range(0, len(images), some):
            rows = slice(start, min(start + some, len(images)))
            packed = np.packbits(_fragments(images[rows]), axis=0, bitorder="little")
            yield rows, _floating(packed, self.max_tolerance).reshape(len(packed), -1)


def _fragments(images: NDArray) -> NDArray[np.bool_]:
    """Whether a fragment lies at each pixel: (n_images, height, width, direction)."""
    found = np.zeros((*images.shape, len(DIRECTIONS)), dtype=bool)
    # a byte's differences fit into two
    wide = np.int16 if images.dtype.itemsize == 1 else np.float64
    images = images.astype(wide, copy=False)
    steps = list(DIRECTIONS.values())
    for number in range(_OPPOSITE):
        along, across = steps[number], steps[(number + 2) % len(steps)]
        # how much lighter the next pixel is
        ahead = _shifted(images, along) - images
        thick = np.abs(ahead)
        side = np.abs(_shifted(images, across) - images)
        sides = np.maximum(side, _shifted(side, _back(across)))
        thin = np.maximum(sides, _shifted(sides, along))
        ends = np.maximum(_shifted(thick, along), _shifted(thick, _back(along)))
        edge = (thick > np.maximum(thin, ends)) & _inside(images.shape[1:], along, across)
        found[..., number] = edge & (ahead > 0)
        darker = edge & (ahead < 0)
        # seen from the darker pixel, which is the next one
        found[..., number + _OPPOSITE] = _shifted(darker, _back(along))
    return found


def _floating(packed: NDArray[np.uint8], max_tolerance: int) -> NDArray[np.uint8]:
    """The detectors of every tolerance: each has one more fragment of the strip than the last."""
    answer = np.empty((*packed.shape, max_tolerance), np.uint8)
    for number, step in enumerate(DIRECTIONS.values()):
        fragments = np.ascontiguousarray(packed[..., number])
        floating = np.zeros_like(fragments)
        for place in range(max_tolerance):
            # here, one ahead, one behind, two ahead, two behind, ...
            offset = (place + 1) // 2 * (1 if place % 2 else -1)
            here, there = _overlap(fragments.shape[1:], (offset * step[0], offset * step[1]))
            floating[:, *here] |= fragments[:, *there]
            answer[..., number, place] = floating
    return answer


def _inside(shape: tuple[int, ...], along: tuple[int, int], across: tuple[int, int]) -> NDArray:
    """The pixels that have their four neighbours in the image, as the next pixel has its four."""
    here = np.ones((1, *shape), dtype=bool)
    four = (along, _back(along), across, _back(across))
    inside = np.logical_and.reduce([_shifted(here, step) for step in four])
    return inside & _shifted(inside, along)


def _shifted(images: NDArray, step: tuple[int, int]) -> NDArray:
    """At each pixel what is one step from it, 0 where that is outside."""
    answer = np.zeros_like(images)
    here, there = _overlap(images.shape[1:], step)
    answer[:, *here] = images[:, *there]
    return answer


def _overlap(shape: tuple[int, ...], step: tuple[int, int]) -> tuple[list[slice], list[slice]]:
    """The pixels that have another at this step from them, and those others."""
    here = [slice(max(0, -s), max(0, n - max(0, s))) for n, s in zip(shape, step, strict=True)]
    there = [slice(max(0, s), max(0, n - max(0, -s))) for n, s in zip(shape, step, strict=True)]
    return here, there


def _back(step: tuple[int, int]) -> tuple[int, int]:
    return -step[0], -step[1]
