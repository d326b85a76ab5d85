"""How the tests of the command line run it."""

import shlex

import pytest

from handful.cli import main


@pytest.fixture
def run(folder, capsys):
    """Runs a command line in the module's own `folder`; gives the exit code and both outputs."""

    def call(line):
        code = main(shlex.split(line))
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return call
