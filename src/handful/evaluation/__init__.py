"""Evaluation: what was found, and how, written down so that a report needs no more."""

from handful.evaluation.record import Selection, read_record

__all__ = ["Selection", "read_record"]
