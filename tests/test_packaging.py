"""What others install: the source archive builds a wheel, and the wheel works by itself."""

import os
import subprocess
import sys
import sysconfig
import tarfile
from email.parser import Parser
from pathlib import Path
from zipfile import ZipFile

import pytest

import handful

ROOT = Path(__file__).parents[1]


def run(*command, **options):
    ran = subprocess.run([*map(str, command)], capture_output=True, text=True, **options)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sdist")
    code = "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"
    run(sys.executable, "-c", code, folder, cwd=ROOT)
    (file,) = folder.iterdir()
    return file


@pytest.fixture(scope="module")
def wheel(archive, tmp_path_factory):
    """Built from the archive, so that nothing that only the checkout has can help."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation"]
    run(*pip, "--wheel-dir", folder, archive)
    (file,) = folder.iterdir()
    return file


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Runs code where the wheel is installed and the checkout is not."""
    folder = tmp_path_factory.mktemp("installed")
    with ZipFile(wheel) as file:
        file.extractall(folder)
    paths = [str(folder), *{sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}

    def run_there(*arguments):
        # without site, since that is what installs the hook of an editable installation
        command = [sys.executable, "-S", "-W", "error", *arguments]
        return run(*command, env=environment, cwd=folder)

    return run_there


def test_the_archive_has_what_builds_it_and_not_what_is_large(archive):
    with tarfile.open(archive) as file:
        names = {name.partition("/")[2] for name in file.getnames()}
    assert {"CMakeLists.txt", "cpp/bind.cpp", "LICENSE", "README.md", "pyproject.toml"} <= names
    folders = {name.partition("/")[0] for name in names}
    assert not folders & {"docs", "papers", "benchmarks", "build", ".venv", ".git"}


def test_the_wheel_has_the_package_and_its_data_only(wheel):
    with ZipFile(wheel) as file:
        names = set(file.namelist())
    packaged = ROOT / "src/handful"
    ours = {
        f"handful/{file.relative_to(packaged).as_posix()}"
        for file in packaged.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    about = {name for name in names if name.startswith("handful-")}
    core = {name for name in names if name.startswith("handful/_core.")}
    assert names - about - core == ours
    assert "handful/py.typed" in ours
    assert "handful/datasets/leukaemia.npz" in ours
    assert any(name.startswith("handful/report/templates/") for name in ours)
    assert "handful/_core.pyi" in core
    assert len(core) == 2
    assert wheel.stat().st_size < 3_000_000


def test_the_wheel_says_what_it_is(wheel):
    with ZipFile(wheel) as file:
        about = f"handful-{handful.__version__}.dist-info"
        metadata = Parser().parsestr(file.read(f"{about}/METADATA").decode())
        entries = file.read(f"{about}/entry_points.txt").decode()
        tags = file.read(f"{about}/WHEEL").decode()
    assert metadata["Version"] == handful.__version__
    assert metadata["License-Expression"] == "BSD-3-Clause"
    assert metadata["Requires-Python"] == ">=3.11"
    assert "handful=handful.cli:main" in entries.replace(" ", "")
    # from Python 3.12 on, one wheel is for all later versions
    major, minor = sys.version_info[:2]
    expected = "cp312-abi3" if (major, minor) >= (3, 12) else f"cp{major}{minor}-cp{major}{minor}"
    assert f"Tag: {expected}-" in tags


def test_the_installed_wheel_works(installed):
    code = """
import handful, handful._core
from handful import FilterSelector
from handful.datasets import load_leukaemia
from handful.evaluation import Selection
X, y = load_leukaemia(return_X_y=True)
selector = FilterSelector(n_features_to_select=3).fit(X, y)
assert "3 of 7,129" in Selection.of(selector, X, y).report()
print(handful.__version__, handful.__file__, handful._core.__file__)
"""
    version, package, core = installed("-c", code).split()
    assert version == handful.__version__
    assert Path(package).parent == Path(core).parent
    assert not Path(package).is_relative_to(ROOT)


def test_the_installed_command_works(installed):
    assert "select" in installed("-m", "handful", "--help")
