"""One rival on one problem, in a process of its own: reads a JSON task, prints what it reaches as JSON lines.

    {"settings": ...}                               what tuning chose, once
    {"seconds": .., "iterations": .., "objective": ..}     one per record

Records are printed as they come, so that they are not lost if the process has to be stopped.
"""

import dataclasses
import importlib
import json
import pathlib
import sys
from collections.abc import Callable

from .instance import load, prepare
from .objective import Objective
from .record import Point, Recorder
from .rival import Rival, run_until_finished, tune
from .rivals import RIVALS

def make_rival(name: str) -> Rival:
    """Imports only what this rival needs: an import costs memory, and memory is measured."""
    module, kind = RIVALS[name].split(":")
    return getattr(importlib.import_module(f".{module}", __package__), kind)()


def emit(line: dict[str, object]) -> None:
    print(json.dumps(line), flush=True)


def main() -> None:
    task = json.loads(sys.argv[1])
    folder = pathlib.Path(task["folder"])
    if task["rival"] is None:
        prepare(folder)
        return
    rival = make_rival(task["rival"])
    objective = Objective(load(folder, task["model"], task["penalty"], task["lambda"]))
    run = rival.prepare(objective)
    goal = task["optimum"] + rival.accuracy * abs(task["optimum"])

    def recorder(limit: float, report: Callable[[Point], None] = lambda point: None) -> Recorder:
        return Recorder(objective.value, goal, limit, report)

    settings = tune(rival, run, recorder, task["limit"])
    emit({"settings": settings})

    run_until_finished(run, settings, recorder(task["limit"], lambda point: emit(dataclasses.asdict(point))))


if __name__ == "__main__":
    main()
