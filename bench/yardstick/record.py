"""What a rival reaches and when. The clock stands still while the objective of a record is evaluated."""

import dataclasses
import math
import time
from collections.abc import Callable

import numpy as np


class Finished(Exception):
    """The goal or the time limit is reached, or the method diverged."""


@dataclasses.dataclass(frozen=True)
class Point:
    seconds: float
    iterations: int
    objective: float


class Recorder:
    """Ends the run (by Finished) once an objective is at most `goal` or `limit` seconds have passed."""

    # Records are this much of the elapsed time apart, so times are late by at most this fraction.
    SPACING = 0.02

    def __init__(self, value: Callable[[np.ndarray], float], goal: float, limit: float,
                 emit: Callable[[Point], None] = lambda point: None):
        self.points: list[Point] = []
        self.iterations = 0
        self._value, self._goal, self._limit, self._emit = value, goal, limit, emit
        self._begin = time.perf_counter()
        self._next = 0.0

    def seconds(self) -> float:
        return time.perf_counter() - self._begin

    def offer(self, w: np.ndarray) -> None:
        """Counts one iteration and records its point if a record is due."""
        self.iterations += 1
        now = self.seconds()
        if now < self._next and now < self._limit:
            return
        objective = self._value(w)
        if not math.isfinite(objective):
            raise Finished
        self.points.append(Point(now, self.iterations, objective))
        self._emit(self.points[-1])
        if objective <= self._goal or now >= self._limit:
            raise Finished
        self._begin += self.seconds() - now
        self._next = now * (1 + self.SPACING)

    def rank(self) -> tuple[bool, float]:
        """Smaller is better: those that reach the goal by time, then the others by objective."""
        if not self.points:
            return True, math.inf
        if self.points[-1].objective <= self._goal:
            return False, self.points[-1].seconds
        return True, min(point.objective for point in self.points)
