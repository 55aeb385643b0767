"""Measures the other methods: which apply to a row, and what their processes (worker.py) report."""

import dataclasses
import json
import pathlib
import sys
from typing import Any

from . import process
from .measurement import TOLERANCES, Measurement, Trace
from .problems import Row

# By name, the module and the class (rival.py has the interface); imported by the worker only.
RIVALS = {
    "numpy algorithm 1": "numpy_algorithm1:NumpyAlgorithm1",
    "torch adam": "torch_objective:TorchAdam",
    "torch l-bfgs": "torch_objective:TorchLbfgs",
    "scipy dual l-bfgs-b": "scipy_methods:ScipyDual",
    "scipy l-bfgs-b": "scipy_methods:ScipySmoothed",
    "scipy newton": "scipy_newton:ScipyNewton",
}
# Tuning, imports, reading and an iteration that cannot be interrupted come on top of the time limit.
PATIENCE = 6


def applies(name: str, row: Row) -> bool:
    """Newton where factors are sparse; the dual where it is a smooth box problem, and then not the smoothed objective."""
    if name == "scipy newton":
        return row.sparse_factors
    if name == "scipy dual l-bfgs-b":
        return _has_box_dual(row)
    return name != "scipy l-bfgs-b" or not _has_box_dual(row)


def _has_box_dual(row: Row) -> bool:
    options = row.data.options
    strongly_convex = row.model == "point" or (
        row.model == "linear" and int(options.get("samples", 10)) >= int(options.get("dimension", 100)))
    return row.penalty == "l1" and strongly_convex and "accessible" not in options


def prepare_arrays(folder: pathlib.Path) -> None:
    done = process.run(_command({"folder": str(folder), "rival": None}), 3600)
    if done.exit_code != 0:
        raise RuntimeError(done.errors)


@dataclasses.dataclass(frozen=True)
class RivalRun:
    trace: Trace
    peak_mb: float
    settings: dict[str, Any]  # what tuning chose
    failure: str  # empty, or how it ended early


def run(name: str, row: Row, folder: pathlib.Path, limit: float, optimum: float) -> RivalRun:
    task = {"folder": str(folder), "rival": name, "model": row.model, "penalty": row.penalty, "lambda": row.lam,
            "optimum": optimum, "limit": limit}
    done = process.run(_command(task), PATIENCE * limit + 60)
    lines = [json.loads(line) for line in done.output.splitlines() if line.endswith("}")]
    points = [(line["seconds"], line["iterations"], line["objective"]) for line in lines[1:]]
    failure = ""
    if done.exit_code != 0:
        failure = (done.errors.strip().splitlines() or [f"stopped after {PATIENCE * limit + 60:g} s"])[-1]
    return RivalRun(Trace(points), done.peak_mb, lines[0]["settings"] if lines else {}, failure)


def measurement(name: str, done: RivalRun, optimum: float) -> Measurement:
    efforts = {tolerance: done.trace.effort(optimum, tolerance) for tolerance in TOLERANCES}
    best = done.trace.best()
    remarks = [f"ends {(best - optimum) / abs(optimum):.0e} off" if done.trace.points else "no point in time",
               ", ".join(f"{key} {value if isinstance(value, str) else f'{value:.3g}'}"
                         for key, value in done.settings.items()), done.failure]
    return Measurement(name, efforts, done.peak_mb, "; ".join(filter(None, remarks)),
                       {"settings": done.settings, "failure": done.failure}, best)


def _command(task: dict[str, Any]) -> list[object]:
    return [sys.executable, "-m", "yardstick.worker", json.dumps(task)]
