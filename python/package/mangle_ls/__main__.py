"""The program `mangle-ls`, as the package has it: `mangle-ls …` and `python -m mangle_ls …`."""

import signal
import sys

from . import _native


def main() -> int:
    """Runs the command that the arguments of the process name. Returns the exit status."""
    # An interrupt ends the program at once, as it does without Python.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _native.run(["mangle-ls", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
