"""Compile a C++ program of tests/cpp with the headers of cpp/, and run it."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# Undefined behaviour ends the program, too: without the second flag it only prints a line.
ADDRESS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g")
THREAD = ("-fsanitize=thread", "-g")


def run_compiled(name, folder, *flags, timeout=120):
    """Build tests/cpp/<name>.cpp in `folder` and require that it builds and ends with 0."""
    compiler = shutil.which("c++")
    if compiler is None:
        pytest.skip("no C++ compiler on PATH")
    _require_runtime(compiler, flags, folder)
    program = folder / name
    source = ROOT / "tests/cpp" / f"{name}.cpp"
    usual = ["-std=c++20", "-O1", "-ffp-contract=off", "-pthread", f"-I{ROOT / 'cpp'}"]
    command = [compiler, *usual, *flags, str(source), "-o", str(program)]
    built = subprocess.run(command, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    ran = subprocess.run([program], capture_output=True, text=True, timeout=timeout)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def _require_runtime(compiler, flags, folder):
    """Skip where the compiler comes without the sanitiser's library."""
    sanitisers = [flag for flag in flags if flag.startswith("-fsanitize=")]
    if not sanitisers:
        return
    source = folder / "nothing.cpp"
    source.write_text("int main() {}\n")
    command = [compiler, *sanitisers, str(source), "-o", str(folder / "nothing")]
    if subprocess.run(command, capture_output=True).returncode:
        pytest.skip(f"this compiler has no {sanitisers[0]}")
