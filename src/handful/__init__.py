"""handful picks the handful of columns that matter, out of thousands or millions."""
