"""What the figures were measured on."""

import os
import pathlib
import platform
import subprocess

from .paths import ROOT


def describe() -> dict[str, str]:
    """The processor, its number of threads, memory, and versions; packages are asked of dpkg, not imported."""
    return {"processor": _field("/proc/cpuinfo", "model name"), "threads": str(os.cpu_count()),
            "memory": _field("/proc/meminfo", "MemTotal"), "system": platform.platform(),
            "commit": _output(["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"]),
            **{name: _version(f"python3-{name}") for name in ("numpy", "scipy", "torch")}}


def _field(file: str, name: str) -> str:
    for line in pathlib.Path(file).read_text().splitlines():
        if line.startswith(name):
            return line.split(":", 1)[1].strip()
    return "unknown"


def _version(package: str) -> str:
    return _output(["dpkg-query", "-W", "-f", "${Version}", package])


def _output(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True).stdout.strip() or "unknown"
