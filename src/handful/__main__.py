"""``python -m handful`` is the command line."""

import sys

from handful.cli import main

sys.exit(main())
