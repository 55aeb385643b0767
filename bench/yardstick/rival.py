"""The interface of a rival, and how its settings are chosen: short runs, whose time does not count, pick the best."""

from collections.abc import Callable
from typing import Any, Protocol

from .objective import Objective
from .record import Finished, Recorder

Settings = dict[str, Any]
Run = Callable[[Settings, Recorder], None]

# What one short run may take of the time limit: on the grid, and again around its best. Some seconds in any case: what leads
# after less may be what falls behind later.
GRID_SHARE = 1 / 12
REFINE_SHARE = 1 / 6
SHORTEST = 2.0


class Rival(Protocol):
    accuracy: float  # the relative error at which it may stop

    def grid(self) -> list[Settings]:
        """Where tuning starts. A single entry needs no run."""

    def refine(self, best: Settings) -> list[Settings]:
        """What to try around the best of the grid."""

    def prepare(self, objective: Objective) -> Run:
        """A function that runs from w = 0 until the recorder ends it, or until it knows no further."""


def run_until_finished(run: Run, settings: Settings, recorder: Recorder) -> Recorder:
    try:
        run(settings, recorder)
    except Finished:
        pass
    return recorder


def tune(rival: Rival, run: Run, make_recorder: Callable[[float], Recorder], limit: float) -> Settings:
    """The best settings for runs of `limit` seconds; `make_recorder` takes the time limit of one short run."""

    def best_of(candidates: list[Settings], share: float) -> Settings:
        if len(candidates) == 1:
            return candidates[0]
        return min(candidates, key=lambda settings: run_until_finished(
            run, settings, make_recorder(min(limit, max(share * limit, SHORTEST)))).rank())

    return best_of(rival.refine(best_of(rival.grid(), GRID_SHARE)), REFINE_SHARE)
