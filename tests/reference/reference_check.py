"""Runs the gtvmin command on random problems and compares with an independent high-accuracy reference.

    reference_check.py GTVMIN --quick
    reference_check.py GTVMIN --thorough 1000 --seed 1 [--keep DIR]

Checked for every problem, at the default tolerance and with --tol 1e-9: exit code 0; the reported objective is that of
parameters.csv; it lies within the tolerance of the reference; the certificate is a finite gap, bounds the true
suboptimality from above, and is within a factor 100 of it (or below 1e-9 of the objective, or far below the tolerance).
"""

import argparse
import csv
import json
import math
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np  # noqa: E402

from random_problems import GRAPHS, PENALTIES, random_problem  # noqa: E402
from reference_solver import solve_reference  # noqa: E402

CPU_LIMIT = 20.0
WALL_LIMIT = 45.0


class Run:
    """What one run of the command left behind."""

    def __init__(self, code, cpu, output, summary, parameters):
        self.code, self.cpu, self.output, self.summary, self.parameters = code, cpu, output, summary, parameters


def run_gtvmin(command):
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        start = time.monotonic()
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() - start > WALL_LIMIT:
                process.kill()
                _, status, usage = os.wait4(process.pid, 0)
                break
            time.sleep(0.002)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        return process.returncode, usage.ru_utime + usage.ru_stime, output.read().decode("utf-8", "replace")


def read_parameters(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))[1:]
    return {row[0]: np.array([float(v) for v in row[1:]]) for row in rows}


def solve(binary, problem, directory, extra):
    out = os.path.join(directory, "out")
    shutil.rmtree(out, ignore_errors=True)
    command = [binary, "solve"] + problem.arguments(directory) + ["--out", out] + extra
    code, cpu, output = run_gtvmin(command)
    summary, parameters = None, None
    if os.path.exists(os.path.join(out, "summary.json")):
        with open(os.path.join(out, "summary.json"), encoding="utf-8") as file:
            summary = json.load(file)
        parameters = read_parameters(os.path.join(out, "parameters.csv"))
    return Run(code, cpu, output, summary, parameters), command


def check(problem, reference, run, tolerance, statistics):
    """The list of what is wrong with one run."""
    wrong = []
    if run.cpu > CPU_LIMIT:
        wrong.append(f"slow: {run.cpu:.1f} s of processor time")
    if run.code == 4 and np.abs(reference.w).max() > 30 and problem.objective.model == "logistic":
        statistics["unattained_at_limit"] += 1
    elif run.code != 0:
        wrong.append(f"exit code {run.code}: {run.output.strip()[-300:]}")
    if run.summary is None:
        return wrong + (["no summary.json"] if run.code in (0, 4) else [])
    objective, summary = problem.objective, run.summary
    if sorted(run.parameters) != sorted(problem.names):
        return wrong + ["the nodes of parameters.csv are not those of the input"]
    w = np.array([run.parameters[name] for name in problem.names])
    if w.shape[1] != objective.d or not np.isfinite(w).all():
        return wrong + [f"parameters of shape {w.shape} or not finite"]

    value, start = objective.value(w), objective.value(np.zeros_like(w))
    # gtvmin counts relative to at least a billionth of the objective at 0: next to that an optimum is zero.
    size = max(abs(reference.objective), 1e-9 * start)
    zero = 1e-20 * start + objective.fog(w)
    reported = summary["objective"]
    if abs(reported - value) > 1e-9 * size + zero:
        wrong.append(f"reported objective {reported!r}, but parameters.csv has {value!r}")
    for name, own in (("loss", objective.loss(w)), ("gtv", objective.gtv(w))):
        if abs(summary[name] - own) > 1e-9 * max(abs(own), size / max(objective.lam, 1.0)) + zero:
            wrong.append(f"reported {name} {summary[name]!r}, but parameters.csv has {own!r}")

    over = value - reference.objective
    relative = over / max(size, 1e-300)
    # A logistic loss may have no minimiser: it falls for ever, and no method ends at a tolerance.
    attained = objective.model != "logistic" or np.abs(reference.w).max() < 30
    if not attained:
        statistics["unattained"] += 1
    if attained and over > tolerance * size + zero:
        wrong.append(f"objective {value!r} is {relative:.2e} above the reference {reference.objective!r}")
    if reference.objective - value > 1e-9 * size + zero:
        statistics["weak_reference"] += 1
        print(f"weak reference: {problem.family}, {(reference.objective - value) / size:.1e} above gtvmin", flush=True)

    certificate = summary["certificate"]
    bound = certificate["value"]
    if not attained and certificate["kind"] != "gap":
        return wrong
    # A singular matrix lets neighbours differ at no cost: no optimum can be located, and nothing is proved.
    singular = problem.q is not None and np.linalg.matrix_rank(problem.q) < len(problem.q)
    if singular and certificate["kind"] == "none-unbounded":
        statistics["unproved"] += 1
        return [text for text in wrong if not text.startswith("exit code 4")]
    if certificate["kind"] != "gap" or not isinstance(bound, (int, float)) or not math.isfinite(bound):
        return wrong + [f"certificate {certificate}"]
    rounding = 1e-14 * size + zero
    if bound < over - rounding:
        wrong.append(f"certificate {bound:.3e} below the true suboptimality {over:.3e} (F = {value:.3e})")
    if run.code == 0 and bound > tolerance * max(abs(value), 1e-9 * start) * (1 + 1e-9) + zero:
        wrong.append(f"status 0 but certificate {bound:.3e} above tol·F = {tolerance * abs(value):.3e}")
    known = max(over, 0.0) + (reference.slack if math.isfinite(reference.slack) else size)
    floor = 1e-11 * size + zero
    if bound > floor:
        ratio = bound / max(known, 1e-13 * size, 1e-300)
        statistics["ratios"].append((ratio, problem.family))
        # The flow of the maximum norm comes last: parameters are optimal long before it proves that.
        loosest = 1e5 if "-linf-" in problem.family else 100
        if ratio > loosest and bound > max(1e-2 * tolerance, 1e-9) * size:
            wrong.append(f"certificate {bound:.2e} is {ratio:.1e} times the true suboptimality (<= {known:.2e}), "
                         f"F {value:.2e}")
    statistics["cpu"].append((run.cpu, problem.family))
    statistics["iterations"].append((summary["iterations"], problem.family))
    return wrong


def keep_failure(root, name, directory, command, problem, wrong, output):
    target = os.path.join(root, name)
    shutil.rmtree(target, ignore_errors=True)
    os.makedirs(target)
    for file in ("data.csv", "edges.csv", "q.csv"):
        if os.path.exists(os.path.join(directory, file)):
            shutil.copy(os.path.join(directory, file), target)
    with open(os.path.join(target, "cmd.txt"), "w", encoding="utf-8") as file:
        file.write(" ".join(shlex.quote(part.replace(directory, target)) for part in command) + "\n")
        file.write(problem.family + "\n" + "\n".join(wrong) + "\n" + output + "\n")


def quick_problems(seed):
    """Every penalty in eight situations."""
    situations = [("plain", "linear", "sbm", 16), ("few_samples", "linear", "tree", 20),
                  ("no_data", "linear", "sparse", 16), ("dataless_component", "linear", "components", 12),
                  ("plain", "point", "grid", 36), ("ridge", "logistic", "star", 10), ("mixed", "linear", "chain", 30),
                  ("huge_lambda", "linear", "complete", 6)]
    for s, (family, model, graph, size) in enumerate(situations):
        for p, penalty in enumerate(PENALTIES):
            rng = np.random.default_rng([seed, s, p])
            yield f"quick-{s}-{p}", random_problem(rng, size, family, penalty, model, graph)


def thorough_problems(count, seed):
    for k in range(count):
        rng = np.random.default_rng([seed, k])
        size = None
        if k % 25 == 0:
            size = int(rng.choice([60, 100, 144]))
        graph = None
        if size is not None:
            graph = str(rng.choice([name for name in GRAPHS if name not in ("complete", "sbm")]))
        yield f"s{seed}-{k}", random_problem(rng, size, graph=graph)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gtvmin")
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--quick", action="store_true")
    mode.add_argument("--thorough", type=int, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="run this one problem of the sequence")
    parser.add_argument("--keep", help="directory for reproducers of failures")
    parser.add_argument("--models", help="only these, separated by commas")
    parser.add_argument("--minutes", type=float, default=0, help="stop early after this long")
    arguments = parser.parse_args()

    problems = (quick_problems(arguments.seed) if arguments.quick
                else thorough_problems(arguments.thorough, arguments.seed))
    statistics = {"weak_reference": 0, "unattained": 0, "unattained_at_limit": 0, "unproved": 0, "ratios": [], "cpu": [],
                  "iterations": []}
    failures = solved = 0
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as directory:
        for name, problem in problems:
            if arguments.only and name != arguments.only:
                continue
            if arguments.models and problem.objective.model not in arguments.models.split(","):
                continue
            if arguments.minutes and time.monotonic() - began > 60 * arguments.minutes:
                break
            try:
                reference = solve_reference(problem.objective)
            except (ArithmeticError, ValueError) as error:
                print(f"{name} {problem.family}: no reference: {error}", flush=True)
                continue
            for stale in ("data.csv", "edges.csv", "q.csv"):
                if os.path.exists(os.path.join(directory, stale)):
                    os.remove(os.path.join(directory, stale))
            problem.write(directory)
            for tolerance, extra in ((1e-6, []), (1e-9, ["--tol", "1e-9"])):
                run, command = solve(arguments.gtvmin, problem, directory, extra + ["--threads", "1"])
                wrong = check(problem, reference, run, tolerance, statistics)
                solved += 1
                if wrong:
                    failures += 1
                    print(f"FAILED {name} {problem.family} tol {tolerance:.0e} lambda {problem.objective.lam:.3g}:",
                          flush=True)
                    for line in wrong:
                        print(f"    {line}", flush=True)
                    if arguments.keep:
                        keep_failure(arguments.keep, f"{name}-tol{tolerance:.0e}", directory, command, problem, wrong,
                                     run.output)
    print(f"{solved} runs, {failures} failed, {statistics['weak_reference']} with a reference worse than gtvmin, "
          f"{statistics['unattained']} without a minimiser ({statistics['unattained_at_limit']} stopped at a limit), "
          f"{statistics['unproved']} unproved")
    for key in ("ratios", "cpu", "iterations"):
        values = sorted(statistics[key], reverse=True)
        if values:
            print(f"{key}: median {values[len(values) // 2][0]:.3g}, worst " +
                  "; ".join(f"{v:.3g} ({family})" for v, family in values[:4]))
    return 1 if failures or not solved else 0


if __name__ == "__main__":
    sys.exit(main())
