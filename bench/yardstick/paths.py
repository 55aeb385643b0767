"""Where things are."""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARIES = ROOT / "build" / "bench" / "bin"
GTVMIN = BINARIES / "gtvmin"
DATA = ROOT / "build" / "bench-data"
