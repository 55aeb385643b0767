"""gtvmin itself: the default method, whose time is that of a certified answer, and the paper's Algorithm 1.

`seconds` of summary.json is the solver alone: reading files and building the losses come before, as they do for the rivals.
"""

import csv
import json
import pathlib
import tempfile
from typing import Any

from . import process
from .measurement import TOLERANCES, Effort, Measurement, Trace
from .paths import GTVMIN
from .problems import Row

DEFAULT = "gtvmin"
ALGORITHM1 = "gtvmin algorithm 1"
# The tightest tolerance, which gives the reference optimum, may take this many time limits.
REFERENCE_PATIENCE = 5
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


def measure_default(row: Row, folder: pathlib.Path, limit: float) -> tuple[Measurement, dict[str, Any]]:
    """One solve per tolerance, and the summary of the tightest."""
    efforts: dict[float, Effort | None] = {}
    runs = []
    peak = 0.0
    for tolerance in TOLERANCES:
        patience = limit * (REFERENCE_PATIENCE if tolerance == TOLERANCES[-1] else 1)
        summary, memory = _median_solve(row, folder, patience, tolerance)
        solved = summary["exit_code"] == 0
        efforts[tolerance] = Effort(summary["seconds"], summary["iterations"]) if solved else None
        peak = max(peak, memory)
        runs.append({key: summary[key] for key in (
            "exit_code", "status", "seconds", "iterations", "newton_steps", "objective", "certificate", "polished",
            "clusters")} | {"tolerance": tolerance})
        for list_name in ("largest_nodes", "largest_edges"):
            runs[-1]["certificate"].pop(list_name, None)
    best = min(run["objective"] for run in runs)
    return Measurement(DEFAULT, efforts, peak, _remark(runs), {"runs": runs}, best), summary


def measure_algorithm1(row: Row, folder: pathlib.Path, limit: float, optimum: float) -> Measurement:
    summary, trace, peak = solve(row, folder, limit, "--method", "algorithm1", "--tol", "1e-6", "--max-iterations",
                                 "1000000000")
    efforts = {tolerance: trace.effort(optimum, tolerance) for tolerance in TOLERANCES}
    details = {key: summary[key] for key in ("exit_code", "status", "seconds", "iterations", "objective")}
    return Measurement(ALGORITHM1, efforts, peak, summary["status"], details, trace.best())


def _median_solve(row: Row, folder: pathlib.Path, limit: float, tolerance: float) -> tuple[dict[str, Any], float]:
    def once() -> tuple[dict[str, Any], float]:
        summary, _, peak = solve(row, folder, limit, "--tol", str(tolerance))
        return summary, peak

    runs = [once()]
    if runs[0][0]["seconds"] < SHORT_SECONDS:
        runs += [once(), once()]
    return sorted(runs, key=lambda run: run[0]["seconds"])[len(runs) // 2]


def _remark(runs: list[dict[str, Any]]) -> str:
    """What each tolerance ended with: the certificate, or the status where it was not reached."""
    ends = [f"{run['certificate']['relative']:.0e}" + ("" if run["status"] == "solved" else f" ({run['status']})")
            for run in runs]
    return f"certified {', '.join(ends)}; {', '.join(str(run['newton_steps']) for run in runs)} Newton steps"
