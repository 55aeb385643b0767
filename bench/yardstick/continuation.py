"""The path of smoothings that methods for smooth objectives follow: each may err by less of the objective than the last."""

from collections.abc import Callable, Iterator

from .objective import Objective


def smoothings(objective: Objective, value: Callable[[], float], last_share: float,
               factor: float) -> Iterator[tuple[float, float]]:
    """(share, epsilon), share falling from 1 to `last_share`; value() is the objective where the method stands."""
    share = 1.0
    while share >= 0.999 * last_share:
        yield share, objective.epsilon(value(), share)
        share *= factor
