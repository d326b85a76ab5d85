"""The headers of cpp/ without Python: against plain loops, under the sanitisers, in every width."""

import pytest
from compiled import ADDRESS, run_compiled
from timing import best_of, require_within

from handful import _core


@pytest.mark.parametrize("flags", [("-O3",), ADDRESS], ids=["fast", "address"])
def test_information(tmp_path, flags):
    run_compiled("information", tmp_path, *flags)


@pytest.mark.parametrize("flags", [("-O3",), ADDRESS], ids=["fast", "address"])
def test_elimination(tmp_path, flags):
    run_compiled("elimination", tmp_path, *flags)


@pytest.mark.parametrize("flags", [("-O3",), ADDRESS], ids=["fast", "address"])
def test_passes(tmp_path, flags):
    run_compiled("passes", tmp_path, *flags)


@pytest.mark.parametrize("flags", [("-O3",), ADDRESS], ids=["fast", "address"])
def test_support(tmp_path, flags):
    run_compiled("support", tmp_path, *flags)


@pytest.mark.parametrize("flags", [("-O3",), ADDRESS], ids=["fast", "address"])
def test_conjugate(tmp_path, flags):
    run_compiled("conjugate", tmp_path, *flags)


@pytest.mark.parametrize("flags", [("-O3",), ADDRESS], ids=["fast", "address"])
def test_weighting(tmp_path, flags):
    run_compiled("weighting", tmp_path, *flags)


@pytest.mark.parametrize("flags", [("-O3",), ADDRESS], ids=["fast", "address"])
def test_shards(tmp_path, flags):
    run_compiled("shard", tmp_path, *flags)


@best_of(3)
def test_the_widest_version_for_this_processor_is_the_one_called(tmp_path):
    """What `widest` runs is as fast as the best of the versions called by name."""
    printed = run_compiled("width", tmp_path, "-O3")
    name, *times = printed.split()
    assert name == _core.width
    called, by_name = float(times[0]), [float(time) for time in times[1:]]
    require_within(1.3 * min(by_name), called)
