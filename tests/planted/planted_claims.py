"""Runs the command on a planted problem and lists every statement of its result files that is false."""

import csv
import json
import math
import os
import pathlib
import shutil
import subprocess
import time
from decimal import Decimal

from exact_objective import dual_norm, objective
from planted_graphs import connected_groups

GTVMIN = os.environ["GTVMIN"]
KEEP = os.environ.get("GTVMIN_PLANTED_KEEP")  # a folder for the input of runs with false statements
LIMIT = os.environ.get("GTVMIN_PLANTED_LIMIT", "10")  # seconds per run

# Rounding that is allowed to a statement about the objective, as fractions of F(w) and F(0).
OF_OBJECTIVE, OF_ZERO = Decimal("1e-11"), Decimal("1e-14")


def table(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


class Run:
    def __init__(self, folder, options, limit=LIMIT):
        """`folder` holds data.csv and edges.csv; the results go to its folder out."""
        self.folder = pathlib.Path(folder)
        self.arguments = ["solve", "--data", "data.csv", "--edges", "edges.csv", *options, "--time-limit", limit,
                          "--threads", "1", "--write", "flows", "--no-progress", "--force", "--out", "out"]
        started = time.monotonic()
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        try:
            done = subprocess.run([GTVMIN, *self.arguments], cwd=folder, capture_output=True, text=True, check=False,
                                  timeout=float(limit) + 30)
            self.code, self.errors = done.returncode, done.stderr
        except subprocess.TimeoutExpired:
            self.code, self.errors = "none", "no end 30 s after the time limit"
        self.seconds = time.monotonic() - started
        self.solved = self.code == 0
        if self.code in (0, 4):
            out = self.folder / "out"
            self.summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
            rows = table(out / "parameters.csv")
            self.parameters = {row.pop("node"): [float(x) for x in row.values()] for row in rows}
            self.clusters = {row["node"]: row["cluster"] for row in table(out / "clusters.csv")}
            self.edges = table(out / "edges.csv")

    def certificate(self):
        """The proved bound on F(w) - F*, or None."""
        stated = self.summary["certificate"]
        return Decimal(stated["value"]) if stated["kind"] == "gap" and stated["value"] is not None else None

    def command(self):
        return "gtvmin " + " ".join(self.arguments)


def write(problem, folder):
    folder = pathlib.Path(folder)
    (folder / "data.csv").write_text("\n".join(problem.data_lines()) + "\n", encoding="utf-8")
    (folder / "edges.csv").write_text("\n".join(problem.edge_lines()) + "\n", encoding="utf-8")


def not_finite(folder):
    """Files of results with a NaN or an infinity."""
    found = []
    for path in sorted(pathlib.Path(folder).glob("*")):
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".json":
            bad = []
            json.loads(text, parse_constant=bad.append)
        elif path.name == "trace.csv":  # inf is documented: nothing is known yet
            bad = [field for row in csv.reader(text.splitlines()) for field in row if field.lower() in ("nan", "-nan")]
        else:
            bad = [field for row in csv.reader(text.splitlines()) for field in row
                   if field.strip("+-").lower() in ("nan", "inf", "infinity")]
        if bad:
            found.append(f"{path.name}: {bad[0]}")
    return found


def false_statements_of_any_run(run):
    """Of exit code, status and files; for every input."""
    if run.code not in (0, 4):
        return [("exit", f"code {run.code}: {run.errors.strip()[-200:]}")]
    false = [("finite", text) for text in not_finite(run.folder / "out")]
    status = run.summary["status"]
    if (status == "solved") != run.solved:
        false.append(("status", f"{status} with exit code {run.code}"))
    if run.solved and run.certificate() is None:
        false.append(("status", f"solved with the certificate {run.summary['certificate']['kind']}"))
    return false


def false_bound(run, value, reached, rounding):
    """A bound that is stated as proved, solved or not, although another point reaches a value further below."""
    bound = run.certificate()
    if bound is not None and value - reached > bound + rounding:
        return [("bound", f"claims {float(bound):.3g}, is {float(value - reached):.3g} above {float(reached):.6g}")]
    return []


def false_statements(problem, run):
    false = false_statements_of_any_run(run)
    if run.code not in (0, 4):
        return false
    names = problem.names()
    w = [run.parameters.get(name, [0.0] * problem.d) for name in names]
    if not all(math.isfinite(x) for row in w for x in row):
        return false
    value = objective(problem, w)
    optimum, at_zero = problem.optimum, problem.at_zero
    rounding = OF_OBJECTIVE * value + OF_ZERO * at_zero
    false += false_bound(run, value, optimum, rounding)
    dual = run.summary.get("dual_value")
    if dual is not None and run.certificate() is not None and Decimal(dual) > optimum + rounding:
        false.append(("dual value", f"{dual!r} is above the objective {float(optimum)!r} of the planted point"))
    stated = Decimal(run.summary["objective"])
    if abs(stated - value) > rounding:
        false.append(("objective", f"states {float(stated)!r}, is {float(value)!r}"))
    if run.solved and run.summary["certificate"]["relative"] > float(problem.tol):
        false.append(("tolerance", f"relative {run.summary['certificate']['relative']} for --tol {problem.tol}"))
    if problem.norm:
        false += false_flows(problem, run)
    if problem.norm and run.solved:
        false += false_clusters(problem, run, names)
    return false


def false_flows(problem, run):
    """Flows above the capacity lambda · weight of their edge, in the dual norm: edges.csv and flows.csv."""
    capacity = [Decimal(problem.lam) * Decimal(float(row["weight"])) for row in run.edges]
    sizes = [("edges.csv", [Decimal(row["flow_norm"]) for row in run.edges])]
    path = run.folder / "out" / "flows.csv"
    if path.exists():
        flows = [[Decimal(float(x)) for x in list(row.values())[2:]] for row in table(path)]
        sizes.append(("flows.csv", [dual_norm(problem.penalty, u) for u in flows]))
    false = []
    for name, norms in sizes:
        excess = [size / kappa - 1 for size, kappa in zip(norms, capacity) if size > kappa * (1 + Decimal("1e-9"))]
        if excess:
            false.append(("flow", f"{name}: {len(excess)} flows above capacity, by {float(max(excess)):.3g} of it"))
    return false


def same_partition(a, b):
    return len(set(a)) == len(set(b)) == len(set(zip(a, b)))


def false_clusters(problem, run, names):
    false = []
    number = {name: i for i, name in enumerate(names)}
    planted = problem.clusters
    for row in run.edges:
        inside = planted[number[row["source"]]] == planted[number[row["target"]]]
        if row.get("status") == ("separate" if inside else "fused"):
            false.append(("edge", f"{row['source']}-{row['target']} is said to be {row['status']}"))
    fewest, most = run.summary.get("fewest_clusters", 1), run.summary.get("most_clusters", problem.n)
    if not fewest <= len(set(planted)) <= most:
        false.append(("number of clusters", f"between {fewest} and {most}, planted {len(set(planted))}"))
    if run.summary.get("clusters_exact") is False:
        return false
    stated = [run.clusters[name] for name in names]
    coupled = [run.parameters[name][:problem.coupled] for name in names]
    equal = connected_groups(problem.n, [(e.i, e.j) for e in problem.edges if coupled[e.i] == coupled[e.j]])
    if not same_partition(stated, equal):
        false.append(("groups", f"{len(set(stated))} clusters, {len(set(equal))} groups of equal rows"))
    if problem.tol == "1e-9" and not problem.wild and not same_partition(stated, planted):
        false.append(("clusters", f"{len(set(stated))} clusters, planted {len(set(planted))}"))
    return false


def keep(problem_name, run, false):
    """Copies the input of a run with false statements and its command; returns the message of the test."""
    text = "\n".join([f"{claim}: {what}" for claim, what in false] + [run.command()])
    if KEEP and false:
        folder = pathlib.Path(KEEP) / str(problem_name)
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("data.csv", "edges.csv"):
            shutil.copy(run.folder / name, folder / name)
        (folder / "claims.txt").write_text(text + "\n", encoding="utf-8")
    return text
