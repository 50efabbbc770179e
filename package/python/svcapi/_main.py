"""The command `svcd` of the wheel: it executes the svcd that the wheel contains."""

from __future__ import annotations

import os
import sys

from ._server import bundled


def main() -> None:
    path = bundled()
    if path is None:
        sys.exit("svcd: this installation of the Python package svcapi has no svcd in it: install its wheel for this machine")
    try:
        os.execv(path, ["svcd", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"svcd: {path} cannot be started: {error.strerror}")


if __name__ == "__main__":
    main()
