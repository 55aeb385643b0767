"""gtvmin itself: the default method, by the objective like everybody else and by its certificate, and the paper's
Algorithm 1.

`seconds` of summary.json is the solver alone: reading files and building the losses come before, as they do for the rivals.
"""

import csv
import dataclasses
import json
import pathlib
import tempfile
from typing import Any

from . import process
from .measurement import TOLERANCES, Effort, Measurement, Trace
from .paths import GTVMIN
from .problems import Row

DEFAULT = "gtvmin"
CERTIFIED = "gtvmin, certified"
ALGORITHM1 = "gtvmin algorithm 1"
# What a user could set by hand: default settings should never be much slower.
HAND_SET = {"gtvmin, message passing": ("--accelerators", "none"), "gtvmin, one thread": ("--threads", "1")}
# Seconds for a solve, whatever rivals get; the tightest tolerance, which gives the reference optimum, may take more.
TIME_LIMIT = 60.0
REFERENCE_PATIENCE = 3
# Shorter solves are repeated, and the median counts.
SHORT_SECONDS = 0.5


def solve_into(out: pathlib.Path, row: Row, folder: pathlib.Path, limit: float,
               *options: str) -> tuple[dict[str, Any], float]:
    """Leaves the results in `out`; summary.json (with the exit code) and the peak memory in MB."""
    done = process.run([GTVMIN, "solve", "--data", folder / "data.csv", "--edges", folder / "edges.csv", "--model",
                        row.model, "--penalty", row.penalty, "--lambda", row.lam, "--no-progress", "--time-limit", limit,
                        "--out", out, *options], 3 * limit + 120)
    if not (out / "summary.json").exists():
        raise RuntimeError(f"gtvmin wrote no result on {row.name}, exit code {done.exit_code}: {done.errors}")
    return json.loads((out / "summary.json").read_text()) | {"exit_code": done.exit_code}, done.peak_mb


def solve(row: Row, folder: pathlib.Path, limit: float, *options: str) -> tuple[dict[str, Any], Trace, float]:
    """The summary, trace.csv, and the peak memory in MB."""
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(scratch) / "result"
        summary, peak_mb = solve_into(out, row, folder, limit, *options)
        with open(out / "trace.csv", newline="") as file:
            points = [(float(r["seconds"]), int(r["iteration"]), float(r["objective"])) for r in csv.DictReader(file)]
    return summary, Trace(points), peak_mb


@dataclasses.dataclass(frozen=True)
class DefaultRun:
    tolerance: float
    summary: dict[str, Any]
    trace: Trace
    peak_mb: float

    @property
    def certified(self) -> Effort | None:
        solved = self.summary["exit_code"] == 0
        return Effort(self.summary["seconds"], self.summary["iterations"]) if solved else None

    def to_json(self) -> dict[str, Any]:
        kept = {key: self.summary[key] for key in ("exit_code", "status", "seconds", "iterations", "newton_steps",
                                                   "objective", "clusters_exact", "clusters")}
        certificate = {key: value for key, value in self.summary["certificate"].items()
                       if key not in ("largest_nodes", "largest_edges")}
        return kept | {"certificate": certificate, "tolerance": self.tolerance}


def run_default(row: Row, folder: pathlib.Path) -> list[DefaultRun]:
    """One solve per tolerance, the tightest last."""
    return [_median_solve(row, folder, TIME_LIMIT * (REFERENCE_PATIENCE if tolerance == TOLERANCES[-1] else 1), tolerance)
            for tolerance in TOLERANCES]


def measure_default(runs: list[DefaultRun], optimum: float) -> list[Measurement]:
    """When the objective was as near to the optimum as each tolerance asks, and when that was proved."""
    peak = max(run.peak_mb for run in runs)
    best = min(run.summary["objective"] for run in runs)
    efforts = {run.tolerance: run.trace.effort(optimum, run.tolerance) for run in runs}
    certified = {run.tolerance: run.certified for run in runs}
    steps = f"{', '.join(str(run.summary['newton_steps']) for run in runs)} Newton steps"
    return [Measurement(DEFAULT, efforts, peak, steps, {}, best),
            Measurement(CERTIFIED, certified, peak, _remark(runs), {"runs": [run.to_json() for run in runs]}, best)]


def measure_hand_set(name: str, row: Row, folder: pathlib.Path) -> Measurement:
    """The time to a certificate, as of the default settings, at the middle tolerance."""
    tolerance = TOLERANCES[1]
    run = _median_solve(row, folder, TIME_LIMIT, tolerance, *HAND_SET[name])
    efforts = {other: run.certified if other == tolerance else None for other in TOLERANCES}
    return Measurement(name, efforts, run.peak_mb, f"{_remark([run])}, at one tolerance", {"runs": [run.to_json()]},
                       run.summary["objective"])


def measure_algorithm1(row: Row, folder: pathlib.Path, limit: float, optimum: float) -> Measurement:
    summary, trace, peak = solve(row, folder, limit, "--method", "algorithm1", "--tol", "1e-6", "--max-iterations",
                                 "1000000000")
    efforts = {tolerance: trace.effort(optimum, tolerance) for tolerance in TOLERANCES}
    details = {key: summary[key] for key in ("exit_code", "status", "seconds", "iterations", "objective")}
    return Measurement(ALGORITHM1, efforts, peak, summary["status"], details, trace.best())


def _median_solve(row: Row, folder: pathlib.Path, limit: float, tolerance: float, *options: str) -> DefaultRun:
    def once() -> DefaultRun:
        return DefaultRun(tolerance, *solve(row, folder, limit, "--tol", str(tolerance), *options))

    runs = [once()]
    if runs[0].summary["seconds"] < SHORT_SECONDS:
        runs += [once(), once()]
    return sorted(runs, key=lambda run: run.summary["seconds"])[len(runs) // 2]


def _remark(runs: list[DefaultRun]) -> str:
    """What each tolerance ended with: the certificate, or the status where it was not reached."""
    ends = [f"{run.summary['certificate']['relative']:.0e}"
            + ("" if run.summary["status"] == "solved" else f" ({run.summary['status']})") for run in runs]
    return f"proved {', '.join(ends)}"
