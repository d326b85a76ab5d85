"""cpp/parallel.hpp: the same bits for every number of threads, exceptions, interrupts, no races."""

import pytest
from compiled import ADDRESS, THREAD, run_compiled


@pytest.mark.parametrize("flags", [(), ADDRESS, THREAD], ids=["plain", "address", "thread"])
def test_team(tmp_path, flags):
    run_compiled("parallel", tmp_path, *flags)
