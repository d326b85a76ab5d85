"""EdgeDetectors against a look at eight pixels, and against what turning an image does."""

import re
import time
import tracemalloc

import numpy as np
import oracles
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from handful import BoostedStumps, FastCorrelationFilter, InformationSelector, TreeFrequency
from handful.columns import Bits
from handful.features import EdgeDetectors

# right and down
STEPS = {
    "N": (0, -1),
    "NE": (1, -1),
    "E": (1, 0),
    "SE": (1, 1),
    "S": (0, 1),
    "SW": (-1, 1),
    "W": (-1, 0),
    "NW": (-1, -1),
}


class OfAnyShape(EdgeDetectors):
    """For scikit-learn's checks, whose tables are no images: as square as their width allows."""

    def _stated_shape(self, n_pixels):
        height = max(d for d in range(1, n_pixels + 1) if n_pixels % d == 0 and d * d <= n_pixels)
        return height, n_pixels // height


@parametrize_with_checks([OfAnyShape()])
def test_is_a_transformer(estimator, check):
    check(estimator)


@given(
    st.integers(0, 2**32),
    st.tuples(st.integers(1, 9), st.integers(1, 9)),
    st.integers(1, 7),
    st.sampled_from([np.uint8, np.int64, np.float32, np.float64]),
    st.integers(2, 256),
)
@settings(max_examples=40, deadline=None)
def test_detectors_are_those_of_the_slow_twin(seed, shape, max_tolerance, dtype, n_greys):
    rng = np.random.default_rng(seed)
    images = rng.integers(0, n_greys, (2, *shape)).astype(dtype)
    detectors = EdgeDetectors(max_tolerance=max_tolerance)
    found = detectors.fit_transform(images)
    names = detectors.get_feature_names_out()
    assert found.shape == (2, len(names)) == (2, detectors.n_output_features_)
    expected = []
    for name in names:
        x, y, direction, t = re.fullmatch(
            r"edge\(x=(\d+), y=(\d+), direction=(\w+), tolerance=(\d+)\)", name
        ).groups()
        expected.append((int(x), int(y), STEPS[direction], int(t)))
    for image, answers in zip(images.astype(float).tolist(), found, strict=True):
        assert answers.tolist() == [oracles.edge_detector(image, *one) for one in expected]


def _answers(images, **parameters):
    """As (image, y, x, direction, tolerance)."""
    found = EdgeDetectors(**parameters).fit_transform(images)
    return found.reshape(*images.shape, len(STEPS), -1)


def test_the_papers_number_of_columns_and_names():
    detectors = EdgeDetectors().fit(np.zeros((1, 28 * 28), np.uint8))
    names = detectors.get_feature_names_out()
    assert detectors.n_output_features_ == len(names) == len(set(names)) == 43_904
    place = ((7 * 28 + 3) * 8 + list(STEPS).index("NE")) * 7 + 1
    assert names[place] == "edge(x=3, y=7, direction=NE, tolerance=2)"


def test_symmetries_of_images_are_symmetries_of_detectors():
    images = np.random.default_rng(0).integers(0, 50, (20, 11, 11))
    found = _answers(images)
    np.testing.assert_array_equal(_answers(3.5 * images - 20), found)
    np.testing.assert_array_equal(_answers(-images), _brightness_turned(found))
    # a quarter turn to the left: what was E is N
    turned = np.roll(np.rot90(found, axes=(1, 2)), -2, axis=3)
    np.testing.assert_array_equal(_answers(np.rot90(images, axes=(1, 2))), turned)
    # a mirror: E and W change places, N and S stay
    mirrored = found[:, :, ::-1, [(8 - d) % 8 for d in range(8)]]
    np.testing.assert_array_equal(_answers(images[:, :, ::-1]), mirrored)
    assert 0.01 < found[..., 0].mean() < 0.2


def _brightness_turned(found):
    """Dark is light: the fragment lies at its other pixel, in the opposite direction."""
    alone = found[..., 0]
    fragments = np.zeros_like(alone)
    for number, (dx, dy) in enumerate(STEPS.values()):
        moved = np.roll(alone[..., number], (dy, dx), axis=(1, 2))
        fragments[..., (number + 4) % 8] = moved
    n_tolerances = found.shape[4]
    answer = np.zeros_like(found)
    for number, (dx, dy) in enumerate(STEPS.values()):
        for t in range(n_tolerances):
            for place in [0, 1, -1, 2, -2, 3, -3][: t + 1]:
                # no fragment lies within a pixel of the border, so what comes round is none
                padded = np.pad(fragments[..., number], ((0, 0), (4, 4), (4, 4)))
                rolled = np.roll(padded, (-place * dy, -place * dx), axis=(1, 2))
                answer[..., number, t] |= rolled[:, 4:-4, 4:-4]
    return answer


def test_more_tolerance_is_never_less():
    found = _answers(np.random.default_rng(1).random((10, 12, 8)))
    assert (found[..., 1:] >= found[..., :-1]).all()
    assert (np.diff(found.mean(axis=(0, 1, 2, 3))) > 0).all()


def test_an_edge_between_two_fields_is_found_where_it_is():
    image = np.zeros((1, 8, 8))
    image[:, :, 5:] = 1
    found = _answers(image, max_tolerance=3)[0]
    assert np.argwhere(found[..., 0]).tolist() == [[y, 4, 2] for y in range(1, 7)]
    # across the edge the strip reaches one ahead, then one behind
    assert np.flatnonzero(found[3, :, 2, 1]).tolist() == [3, 4]
    assert np.flatnonzero(found[3, :, 2, 2]).tolist() == [3, 4, 5]
    flat = _answers(np.full((1, 8, 8), 7, np.uint8))
    assert not flat.any()


@pytest.mark.parametrize("n_images", [1, 7, 8, 9, 70])
def test_packed_is_the_same(n_images, monkeypatch):
    monkeypatch.setattr("handful.features.edges._PIXELS", 8 * 16 * 30)
    images = np.random.default_rng(n_images).integers(0, 256, (n_images, 6, 5)).astype(np.uint8)
    detectors = EdgeDetectors(image_shape=(6, 5), output="packed").fit(images.reshape(-1, 30))
    table = detectors.transform(images)
    assert isinstance(table, Bits)
    dense = clone(detectors).set_params(output="bool").fit_transform(images)
    np.testing.assert_array_equal(table.native, dense)
    assert table.names.tolist() == detectors.get_feature_names_out().tolist()


@pytest.mark.parametrize(
    "selector", [InformationSelector(), FastCorrelationFilter(), BoostedStumps(), TreeFrequency()]
)
def test_a_packed_table_goes_through_a_pipeline(selector):
    rng = np.random.default_rng(0)
    images, y = rng.random((120, 8, 8)), np.arange(120) % 2
    images[y == 1, 4:] += 0.8
    selector = clone(selector).set_params(n_features_to_select=5, random_state=0)
    packed, dense = (
        make_pipeline(EdgeDetectors(output=output), clone(selector), LogisticRegression())
        for output in ("packed", "bool")
    )
    packed.fit(images, y)
    dense.fit(images, y)
    assert packed[1].path_.features.tolist() == dense[1].path_.features.tolist()
    assert all("direction=S" in name for name in packed[:2].get_feature_names_out()[:1])
    np.testing.assert_array_equal(packed.predict(images), dense.predict(images))
    assert cross_val_score(packed, images, y, cv=3).mean() > 0.9


def test_ten_thousand_images_in_seconds_and_little_memory():
    images = np.random.default_rng(0).integers(0, 256, (10_000, 28, 28)).astype(np.uint8)
    detectors = EdgeDetectors(output="packed").fit(images)
    start = time.perf_counter()
    table = detectors.transform(images)
    assert time.perf_counter() - start < 10
    assert table.shape == (10_000, 43_904)
    some = images[:3000]
    tracemalloc.start()
    size = detectors.transform(some).nbytes
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak - size < 60e6


@pytest.mark.parametrize(
    ("parameters", "X", "message"),
    [
        ({}, np.zeros((2, 30)), "X has 30 pixels to a row, which are no square images; say image_"),
        ({"image_shape": (4, 7)}, np.zeros((2, 30)), "which are no 4 x 7 images"),
        ({"max_tolerance": 0}, np.zeros((2, 9)), "max_tolerance=0 must be at least 1"),
        ({"output": "sparse"}, np.zeros((2, 9)), "output='sparse' is not known"),
        ({}, np.full((1, 3, 3), np.nan), "contains NaN"),
    ],
)
def test_parameters_and_images_that_are_none(parameters, X, message):
    with pytest.raises(ValueError, match=message):
        EdgeDetectors(**parameters).fit(X)


def test_images_of_another_shape_are_refused():
    detectors = EdgeDetectors().fit(np.zeros((1, 4, 6)))
    with pytest.raises(ValueError, match="of 6 x 4 pixels, and those that were fitted of 4 x 6"):
        detectors.transform(np.zeros((1, 6, 4)))
    with pytest.raises(ValueError, match="X has 25 features, but EdgeDetectors is expecting 24"):
        detectors.transform(np.zeros((1, 25)))
