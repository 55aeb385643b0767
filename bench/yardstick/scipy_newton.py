"""Newton's method on the smoothed objective, by sparse factorisations (SuperLU), where these have little fill.

Plain Newton steps hardly move once the smoothing is small. So, as Chan, Golub and Mulet do for total variation, the unit
flow u_e = v_e/r_e (v = Dw, r = smoothed length) is a variable of its own: linearising r u = v instead of u = v/r gives the
curvature (I - u v^T/r)/r, which is symmetrised, and stays positive semidefinite as long as |u| <= 1.
"""

import numpy as np
import scipy.sparse
from scipy.sparse.linalg import splu

from .continuation import smoothings
from .objective import Objective
from .record import Recorder
from .rival import Run, Settings


class ScipyNewton:
    accuracy = 1e-9
    LAST_SHARE = 1e-12

    def grid(self) -> list[Settings]:
        return [{"factor": 0.1, "order": order} for order in ("MMD_AT_PLUS_A", "COLAMD")]

    def refine(self, best: Settings) -> list[Settings]:
        return [best]

    def prepare(self, objective: Objective) -> Run:
        system = BlockSystem(objective)
        return lambda settings, recorder: run(objective, system, settings, recorder, self.LAST_SHARE)


def run(objective: Objective, system: "BlockSystem", settings: Settings, recorder: Recorder, last_share: float) -> None:
    w = np.zeros(objective.shape)
    u = np.zeros((len(objective.kappa), objective.shape[1]))
    for share, epsilon in smoothings(objective, lambda: objective.value(w), last_share, settings["factor"]):
        for _ in range(30):
            value, gradient = objective.smoothed(w, epsilon)
            v = objective.incidence @ w
            r = objective.smoothed_lengths(v, epsilon)
            step = -system.solve(objective.losses.hessian(w), objective.kappa[:, :, None] * curvature(objective, u, v, r),
                                 gradient, settings["order"])
            descent = float(np.einsum("nd,nd->", gradient, step))
            u = next_unit_flow(objective, u, v, r, objective.incidence @ step)
            w = line_search(objective, w, step, value, descent, epsilon)
            recorder.offer(w)
            if -descent <= 0.1 * share * abs(value):
                break


def curvature(objective: Objective, u: np.ndarray, v: np.ndarray, r: np.ndarray) -> np.ndarray:
    """(edges, d, d): the symmetric part of (I - u v^T/r)/r, coordinate by coordinate for l1."""
    identity = np.eye(v.shape[1])
    if objective.instance.penalty == "l1":
        return ((1 - u * v / r) / r)[:, :, None] * identity
    outer = u[:, :, None] * (v / r)[:, None, :]
    return (identity - (outer + outer.transpose(0, 2, 1)) / 2) / r[:, :, None]


def next_unit_flow(objective: Objective, u: np.ndarray, v: np.ndarray, r: np.ndarray, dv: np.ndarray) -> np.ndarray:
    along = v * dv if objective.instance.penalty == "l1" else np.einsum("ed,ed->e", v, dv)[:, None]
    flow = (v + dv) / r - u * along / r**2
    return flow / np.maximum(1, objective.lengths(flow))


def line_search(objective: Objective, w: np.ndarray, step: np.ndarray, value: float, descent: float,
                epsilon: float) -> np.ndarray:
    length = 1.0
    while length > 1e-10 and objective.smoothed(w + length * step, epsilon)[0] > value + 1e-4 * length * descent:
        length /= 2
    return w + length * step


class BlockSystem:
    """blockdiag(node blocks) + D^T blockdiag(edge blocks) D as a sparse matrix whose pattern is found once."""

    def __init__(self, objective: Objective):
        head, tail = objective.instance.head, objective.instance.tail
        nodes = np.arange(objective.shape[0])
        places = np.arange(len(nodes) + 2 * len(head))
        pattern = scipy.sparse.csr_matrix(
            (places, (np.concatenate([nodes, head, tail]), np.concatenate([nodes, tail, head]))))
        self.order, self.indices, self.indptr = pattern.data, pattern.indices, pattern.indptr
        self.gather = abs(objective.incidence_t)
        self.shape = objective.shape

    def solve(self, node_blocks: np.ndarray, edge_blocks: np.ndarray, right: np.ndarray, order: str) -> np.ndarray:
        """`order` is a column order of SuperLU: minimum degree is best on grids, COLAMD on stars."""
        n, d = self.shape
        diagonal = node_blocks + (self.gather @ edge_blocks.reshape(-1, d * d)).reshape(n, d, d)
        diagonal += 1e-15 * diagonal.max() * np.eye(d)
        blocks = np.concatenate([diagonal, -edge_blocks, -edge_blocks])[self.order]
        matrix = scipy.sparse.bsr_matrix((blocks, self.indices, self.indptr), shape=(n * d, n * d)).tocsc()
        factor = splu(matrix, permc_spec=order, diag_pivot_thresh=0.0, options={"SymmetricMode": True})
        return factor.solve(right.ravel()).reshape(n, d)
