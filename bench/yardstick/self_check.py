"""Checks the yardstick itself: on tiny problems every rival must find the optimum that gtvmin certifies, and the losses must
be the same functions. Run it by

    PYTHONPATH=bench /usr/bin/python3 -m yardstick.self_check
"""

import csv
import itertools
import pathlib
import tempfile

import numpy as np
import torch

from .instance import load, prepare
from .objective import Objective
from .ours import solve_into
from .paths import GTVMIN
from .problems import Data, Row, provide_data
from .record import Recorder
from .rival import run_until_finished, tune
from .rivals import RIVALS, applies
from .torch_objective import TorchObjective
from .worker import make_rival

SAME_VALUE = 1e-12
SAME_OPTIMUM = 1e-4
SECONDS = 2.0


def tiny_row(model: str, penalty: str, **more: str) -> Row:
    options = {"sizes": "5,5", "p-in": "0.8", "p-out": "0.2", "model": model, "dimension": "3", "samples": "4",
               "noise": "0.3"} | more
    return Row(f"{model} {penalty} {more}", Data("tiny", "sbm", options), model, penalty, 0.05, sparse_factors=True)


def read_parameters(path: pathlib.Path, objective: Objective) -> np.ndarray:
    w = np.zeros(objective.shape)
    with open(path, newline="") as file:
        for node, *values in itertools.islice(csv.reader(file), 1, None):
            w[int(node)] = [float(value) for value in values]
    return w


def check_values(row: Row, folder: pathlib.Path, objective: Objective) -> tuple[float, float]:
    """gtvmin's objective, far from the optimum and at it, is ours; returns the optimum and its lower bound."""
    for options in (["--max-iterations", "3", "--accelerators", "none"], ["--tol", "1e-9"]):
        out = folder / "result"
        summary, _ = solve_into(out, row, folder, 60, "--force", *options)
        w = read_parameters(out / "parameters.csv", objective)
        for mine, theirs in ((objective.losses.value(w), summary["loss"]), (objective.value(w), summary["objective"])):
            assert abs(mine - theirs) <= SAME_VALUE * abs(theirs), (row.name, options, mine, theirs)
    return summary["objective"], summary["objective"] - summary["certificate"]["value"]


def check_torch(objective: Objective) -> None:
    """The objective in torch has the gradient of the one in numpy, and the same differences of values."""
    in_torch = TorchObjective(objective)
    generator = np.random.default_rng(1)
    one, other = generator.normal(size=(2, *objective.shape))
    tensor = torch.tensor(one, requires_grad=True)
    value = in_torch.value(tensor, 0.1)
    value.backward()
    (expected, gradient), (expected_other, _) = objective.smoothed(one, 0.1), objective.smoothed(other, 0.1)
    difference = (value - in_torch.value(torch.tensor(other), 0.1)).item()
    assert abs(difference - (expected - expected_other)) <= SAME_VALUE * abs(expected)
    assert np.abs(tensor.grad.numpy() - gradient).max() <= SAME_VALUE * np.abs(gradient).max()


def check_rival(name: str, objective: Objective, optimum: float, lower: float) -> None:
    rival = make_rival(name)
    run = rival.prepare(objective)

    def recorder(limit: float) -> Recorder:
        return Recorder(objective.value, optimum * (1 + rival.accuracy), limit)

    settings = tune(rival, run, recorder, SECONDS)
    points = run_until_finished(run, settings, recorder(SECONDS)).points
    best = min(point.objective for point in points)
    error = (best - optimum) / optimum
    print(f"  {name:20s} {error:+.1e} after {points[-1].iterations} iterations", flush=True)
    assert error <= SAME_OPTIMUM, (name, best, optimum)
    assert best >= lower - SAME_VALUE * optimum, (name, best, lower)


def check_row(row: Row) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = provide_data(GTVMIN, row.data, pathlib.Path(scratch))
        prepare(folder)
        objective = Objective(load(folder, row.model, row.penalty, row.lam))
        optimum, lower = check_values(row, folder, objective)
        print(f"{row.name}: F* = {optimum:.12g}, certified within {(optimum - lower) / optimum:.0e}")
        check_torch(objective)
        for name in RIVALS:
            if applies(name, row):
                check_rival(name, objective, optimum, lower)


def main() -> None:
    for model, penalty in itertools.product(("linear", "logistic", "point"), ("l2", "l1")):
        check_row(tiny_row(model, penalty))
    check_row(tiny_row("linear", "l2", samples="2", accessible="0.7"))
    print("the yardstick is straight")


if __name__ == "__main__":
    main()
