"""cpp/parallel.hpp: the same bits for every number of threads, exceptions, interrupts, no races."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("sanitiser", [[], ["-fsanitize=thread", "-g"]], ids=["plain", "tsan"])
def test_team(tmp_path, sanitiser):
    compiler = shutil.which("c++")
    if compiler is None:
        pytest.skip("no C++ compiler on PATH")
    program = tmp_path / "parallel"
    flags = ["-std=c++20", "-O1", f"-I{ROOT / 'cpp'}", "-pthread", *sanitiser]
    command = [compiler, *flags, str(ROOT / "tests/cpp/parallel.cpp"), "-o", str(program)]
    built = subprocess.run(command, capture_output=True, text=True)
    if built.returncode and "tsan" in built.stderr:
        pytest.skip("this compiler has no thread sanitiser")
    assert built.returncode == 0, built.stderr
    ran = subprocess.run([program], capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stdout + ran.stderr
