"""One row measured: gtvmin, the rivals, the reference optimum they are held against, and how the times compare."""

import dataclasses
import pathlib
from collections.abc import Callable
from typing import Any

from . import ours, rivals
from .measurement import TOLERANCES, Measurement
from .problems import Row

# How much of gtvmin's time to a certified 1e-6 a rival gets at least.
RIVAL_SHARE = 1.2
# What the objective may differ between programs by rounding alone, relatively.
ROUNDING = 1e-11


@dataclasses.dataclass(frozen=True)
class Reference:
    """The optimum lies in [lower, objective], by the certificate of gtvmin at its tightest tolerance."""

    objective: float
    lower: float
    clusters_exact: bool
    best_other: float
    best_other_method: str

    @property
    def certified(self) -> float:
        return (self.objective - self.lower) / abs(self.objective)

    @property
    def known(self) -> bool:
        """Whether the optimum is certain enough to measure errors of 1e-6."""
        return self.certified <= TOLERANCES[1]

    @property
    def optimum(self) -> float:
        """What errors are measured against: the certified objective, or else the lowest that anybody found."""
        return self.objective if self.known else min(self.objective, self.best_other)

    @property
    def agreement(self) -> float:
        """How far the best objective of another method is above (below, if negative) that of gtvmin, relatively."""
        return (self.best_other - self.objective) / abs(self.objective)

    @property
    def contradicted(self) -> bool:
        return self.best_other < self.lower - ROUNDING * abs(self.objective)

    def to_json(self) -> dict[str, Any]:
        return dataclasses.asdict(self) | {"certified": self.certified, "agreement": self.agreement,
                                           "optimum": self.optimum, "contradicted": self.contradicted}


@dataclasses.dataclass(frozen=True)
class Comparison:
    row: Row
    size: dict[str, int]  # nodes, edges, dimension
    reference: Reference
    measurements: list[Measurement]

    def ratio(self, tolerance: float) -> tuple[float | None, str | None]:
        """Seconds of gtvmin over those of the fastest other program, and its name; None where either is missing."""
        mine = self.measurements[0].efforts[tolerance]
        others = [(effort.seconds, m.method) for m in self.measurements if m.method in rivals.RIVALS
                  and (effort := m.efforts[tolerance])]
        seconds, method = min(others, default=(None, None))
        return (mine.seconds / seconds if mine and seconds else None), method

    def to_json(self) -> dict[str, Any]:
        ratios = {f"{tolerance:.0e}": dict(zip(("ours_to_best_other", "best_other"), self.ratio(tolerance)))
                  for tolerance in TOLERANCES}
        return {"name": self.row.name, "model": self.row.model, "penalty": self.row.penalty, "lambda": self.row.lam,
                **self.size, "reference": self.reference.to_json(), "ratios": ratios,
                "methods": [m.to_json() for m in self.measurements]}


def compare(row: Row, folder: pathlib.Path, limit: float, progress: Callable[[str], None]) -> Comparison:
    progress(ours.DEFAULT)
    default = ours.run_default(row, folder)
    limit = max(limit, RIVAL_SHARE * default[1].summary["seconds"])
    summary = default[-1].summary
    objective = summary["objective"]
    lower = objective - summary["certificate"]["value"]
    # Where the optimum is not known, the lower bound is a goal that nobody reaches: everybody runs to the time limit.
    goal = objective if objective - lower <= TOLERANCES[1] * abs(objective) else lower
    rivals.prepare_arrays(folder)
    runs = {}
    for name in filter(lambda name: rivals.applies(name, row), rivals.RIVALS):
        progress(name)
        runs[name] = rivals.run(name, row, folder, limit, goal)
    best_other, best_method = min((done.trace.best(), name) for name, done in runs.items())
    reference = Reference(objective, lower, summary["clusters_exact"], best_other, best_method)
    hand_set = []
    for name in ours.HAND_SET:
        progress(name)
        hand_set.append(ours.measure_hand_set(name, row, folder))
    progress(ours.ALGORITHM1)
    algorithm1 = ours.measure_algorithm1(row, folder, limit, reference.optimum)
    others = [rivals.measurement(name, done, reference.optimum) for name, done in runs.items()]
    size = {key: summary[key] for key in ("nodes", "edges", "dimension")}
    return Comparison(row, size, reference, [
        *ours.measure_default(default, reference.optimum), *hand_set, algorithm1, *others])
