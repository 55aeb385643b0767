"""SciPy's L-BFGS-B: on the exact dual where it is a box-constrained smooth problem, else on the smoothed objective."""

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize

from .continuation import smoothings
from .objective import Objective
from .record import Recorder
from .rival import Run, Settings


class ScipySmoothed:
    """Continuation in the smoothing; `steps` iterations at most for each, the last as many as it takes."""

    accuracy = 1e-6
    LAST_SHARE = 1e-8

    def grid(self) -> list[Settings]:
        return [{"steps": steps, "factor": 0.1, "history": 20} for steps in (20, 60, 200, 600)]

    def refine(self, best: Settings) -> list[Settings]:
        return [best, best | {"factor": 0.3}, best | {"factor": 0.03}]

    def prepare(self, objective: Objective) -> Run:
        return lambda settings, recorder: self.run(objective, settings, recorder)

    def run(self, objective: Objective, settings: Settings, recorder: Recorder) -> None:
        best = np.zeros(objective.shape)
        path = smoothings(objective, lambda: objective.value(best), self.LAST_SHARE, settings["factor"])
        for share, epsilon in path:

            def evaluate(flat: np.ndarray) -> tuple[float, np.ndarray]:
                w = flat.reshape(objective.shape)
                value, gradient = objective.smoothed(w, epsilon)
                recorder.offer(w)
                return value, gradient.ravel()

            steps = settings["steps"] if share * settings["factor"] > self.LAST_SHARE else 10**6
            found = minimize(evaluate, best.ravel(), jac=True, method="L-BFGS-B", options={
                "maxcor": settings["history"], "maxiter": steps, "maxfun": 10 * steps, "ftol": 1e-4 * share,
                "gtol": 0})
            best = found.x.reshape(objective.shape)


class ScipyDual:
    """max_u sum_i min_w L_i(w) + <(D^T u)_i, w> over the box |u_e| <= kappa_e, for l1 and strongly convex quadratic losses.

    Not tuned: SciPy looks at every bound in a Python loop before it starts, which is a good part of the time already.
    """

    accuracy = 1e-6

    def grid(self) -> list[Settings]:
        return [{"history": 10}]

    def refine(self, best: Settings) -> list[Settings]:
        return [best]

    def prepare(self, objective: Objective) -> Run:
        if not (objective.instance.penalty == "l1" and objective.losses.strongly_convex):
            raise ValueError("the dual is a smooth box problem only for l1 and strongly convex quadratic losses")
        minimiser = objective.losses.tilted_minimiser()
        return lambda settings, recorder: self.run(objective, minimiser, settings, recorder)

    def run(self, objective: Objective, minimiser: Callable[[np.ndarray], np.ndarray], settings: Settings,
            recorder: Recorder) -> None:
        shape = (len(objective.kappa), objective.shape[1])

        def evaluate(flat: np.ndarray) -> tuple[float, np.ndarray]:
            s = objective.incidence_t @ flat.reshape(shape)
            w = minimiser(s)
            value = -objective.losses.value(w) - float(np.einsum("nd,nd->", s, w))
            recorder.offer(w)
            return value, -(objective.incidence @ w).ravel()

        bound = np.broadcast_to(objective.kappa, shape).ravel()
        minimize(evaluate, np.zeros(bound.size), jac=True, method="L-BFGS-B", bounds=np.stack([-bound, bound], axis=1),
                 options={"maxcor": settings["history"], "maxiter": 10**6, "maxfun": 10**7, "ftol": 0, "gtol": 0})
