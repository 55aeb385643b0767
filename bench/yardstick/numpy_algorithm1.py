"""The paper's Algorithm 1 in numpy, with the two knobs that everybody would turn: the weight omega between primal and dual
steps (tau_i = omega/degree, sigma = 1/(2 omega); the paper has omega = 1) and over-relaxation.

Written for speed: step sizes are folded into the sparse matrices, and products are added to arrays that stay where they are.
"""

import numpy as np
import scipy.sparse
from scipy.sparse._sparsetools import csr_matvecs

from .objective import Objective
from .record import Recorder
from .rival import Run, Settings


class NumpyAlgorithm1:
    accuracy = 1e-6

    def grid(self) -> list[Settings]:
        return [{"omega": 10.0**k, "relaxation": 1.8, "newton_steps": 2} for k in range(-3, 4)]

    def refine(self, best: Settings) -> list[Settings]:
        return [best | {"omega": best["omega"] * factor} for factor in (0.2, 0.45, 1.0, 2.2, 4.6)] + [
            best | {"relaxation": 1.0}, best | {"newton_steps": 1}]

    def prepare(self, objective: Objective) -> Run:
        return lambda settings, recorder: run(objective, settings, recorder)


def run(objective: Objective, settings: Settings, recorder: Recorder) -> None:
    omega, relaxation = settings["omega"], settings["relaxation"]
    degree = np.maximum(objective.degree, 1)
    minus_tau_incidence_t = scipy.sparse.diags(-omega / degree) @ objective.incidence_t
    sigma_incidence = objective.incidence / (2 * omega)
    prox = objective.losses.prox(degree / omega, settings["newton_steps"])
    w, u = np.zeros(objective.shape), np.zeros((len(objective.kappa), objective.shape[1]))
    w_new, u_new = np.empty_like(w), np.empty_like(u)
    while True:
        np.copyto(w_new, w)
        add_product(minus_tau_incidence_t, u, w_new)
        w_new = prox(w_new, w)
        np.copyto(u_new, u)
        add_product(sigma_incidence, 2 * w_new - w, u_new)
        objective.project(u_new)
        recorder.offer(w_new)
        w, w_new = relax(w, w_new, relaxation)
        u, u_new = relax(u, u_new, relaxation)


def add_product(matrix: scipy.sparse.csr_matrix, x: np.ndarray, y: np.ndarray) -> None:
    """y += matrix x."""
    csr_matvecs(*matrix.shape, x.shape[1], matrix.indptr, matrix.indices, matrix.data, x.ravel(), y.ravel())


def relax(old: np.ndarray, new: np.ndarray, relaxation: float) -> tuple[np.ndarray, np.ndarray]:
    """old + relaxation (new - old), and an array that may be overwritten."""
    if relaxation == 1:
        return new, old
    new -= old
    new *= relaxation
    old += new
    return old, new
