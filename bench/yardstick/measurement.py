"""What is known of one method on one row, in the form in which it is printed."""

import dataclasses
import math
from typing import Any

TOLERANCES = (1e-3, 1e-6, 1e-9)


@dataclasses.dataclass(frozen=True)
class Effort:
    """What it took to reach one accuracy."""

    seconds: float
    iterations: int


@dataclasses.dataclass(frozen=True)
class Trace:
    """(seconds, iterations, objective) along a run."""

    points: list[tuple[float, int, float]]

    def effort(self, optimum: float, tolerance: float) -> Effort | None:
        """At the first point within `tolerance` of the optimum, relatively."""
        for seconds, iterations, objective in self.points:
            if objective - optimum <= tolerance * abs(optimum):
                return Effort(seconds, iterations)
        return None

    def best(self) -> float:
        return min((objective for *_, objective in self.points), default=math.inf)


@dataclasses.dataclass(frozen=True)
class Measurement:
    method: str
    efforts: dict[float, Effort | None]  # by tolerance
    peak_mb: float
    remark: str
    details: dict[str, Any]
    best: float  # the lowest objective reached

    def to_json(self) -> dict[str, Any]:
        efforts = {f"{tolerance:.0e}": dataclasses.asdict(effort) if effort else None
                   for tolerance, effort in self.efforts.items()}
        return {"method": self.method, "efforts": efforts, "peak_mb": round(self.peak_mb, 1),
                "best": self.best if math.isfinite(self.best) else None, **self.details}
