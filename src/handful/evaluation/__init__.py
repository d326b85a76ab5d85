"""Evaluation: what was found, and how, written down so that a report needs no more."""

from handful.evaluation.agreement import hamming_distance, jaccard_index, kuncheva_index
from handful.evaluation.checkpoint import CheckpointError
from handful.evaluation.codec import RecordError
from handful.evaluation.compare import compare
from handful.evaluation.comparison import Comparison
from handful.evaluation.record import Record, Selection, read_record
from handful.evaluation.significance import (
    TTest,
    corrected_resampled_test,
    paired_test,
    two_proportion_score,
)
from handful.metrics import (
    Stability,
    accuracy,
    area_under_curve,
    balanced_error,
    probe_fraction,
    stability_difference,
    stability_index,
)

__all__ = [
    "CheckpointError",
    "Comparison",
    "Record",
    "RecordError",
    "Selection",
    "Stability",
    "TTest",
    "accuracy",
    "area_under_curve",
    "balanced_error",
    "compare",
    "corrected_resampled_test",
    "hamming_distance",
    "jaccard_index",
    "kuncheva_index",
    "paired_test",
    "probe_fraction",
    "read_record",
    "stability_difference",
    "stability_index",
    "two_proportion_score",
]
