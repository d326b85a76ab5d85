"""Evaluation: what was found, under which conditions, written down so that a report needs no more."""

from handful.evaluation.record import Selection, read_record

__all__ = ["Selection", "read_record"]
