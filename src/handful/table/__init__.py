"""Tables: from a file to numbers, names and a target, and back to a file.

Examples
--------
>>> import tempfile
>>> from pathlib import Path
>>> import handful.table
>>> folder = tempfile.TemporaryDirectory()
>>> place = Path(folder.name) / "patients.csv"
>>> _ = place.write_text("age,smokes,ill\\n61,true,yes\\n47,false,no\\n")
>>> patients = handful.table.read(place, target="ill")
>>> patients.X.tolist(), patients.y.tolist(), patients.names.tolist()
([[61, 1], [47, 0]], ['yes', 'no'], ['age', 'smokes'])
>>> folder.cleanup()
"""

from handful.table.base import Table, TableError, of_dataset
from handful.table.read import holds_target, read
from handful.table.write import check_fits, check_output, write, write_to

__all__ = [
    "Table",
    "TableError",
    "check_fits",
    "check_output",
    "holds_target",
    "of_dataset",
    "read",
    "write",
    "write_to",
]
