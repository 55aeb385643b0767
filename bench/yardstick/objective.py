"""The objective F(w) = sum_i L_i(w_i) + sum_e kappa_e phi(w_head - w_tail), kappa = lambda A, as it is and smoothed.

phi is a sum of Euclidean norms over groups of coordinates: one group of all of them (l2), or one per coordinate (l1).
`lengths` therefore has shape (edges, 1) or (edges, d), and one formula serves both penalties. Smoothing replaces the length
r by sqrt(r^2 + epsilon^2), which errs by at most epsilon times the sum of kappa over all groups.
"""

import numpy as np
import scipy.sparse

from .instance import Instance
from .losses import make_losses


class Objective:
    def __init__(self, instance: Instance):
        self.instance = instance
        self.losses = make_losses(instance)
        self.kappa = (instance.lam * instance.weight)[:, None]
        self.shape = (instance.nodes, instance.dimension)
        self.incidence = incidence_matrix(instance)
        self.incidence_t = self.incidence.T.tocsr()
        self.degree = np.bincount(np.concatenate([instance.head, instance.tail]), minlength=instance.nodes)
        groups = instance.dimension if instance.penalty == "l1" else 1
        self.total_kappa = groups * float(self.kappa.sum())

    def value(self, w: np.ndarray) -> float:
        return self.losses.value(w) + float((self.kappa * self.lengths(self.incidence @ w)).sum())

    def lengths(self, v: np.ndarray) -> np.ndarray:
        if self.instance.penalty == "l1":
            return np.abs(v)
        return np.sqrt(np.einsum("ed,ed->e", v, v))[:, None]

    def project(self, u: np.ndarray) -> np.ndarray:
        """The nearest flow that the penalty allows; overwrites u."""
        if self.instance.penalty == "l1":
            return np.clip(u, -self.kappa, self.kappa, out=u)
        u *= self.kappa / np.maximum(self.kappa, self.lengths(u))
        return u

    def smoothed_lengths(self, v: np.ndarray, epsilon: float) -> np.ndarray:
        return np.hypot(self.lengths(v), epsilon)

    def smoothed(self, w: np.ndarray, epsilon: float) -> tuple[float, np.ndarray]:
        """Value and gradient of the smoothed objective."""
        v = self.incidence @ w
        r = self.smoothed_lengths(v, epsilon)
        value = self.losses.value(w) + float((self.kappa * r).sum())
        v *= self.kappa / r
        return value, self.losses.gradient(w) + self.incidence_t @ v

    def epsilon(self, value: float, share: float) -> float:
        """The smoothing that may err by `share` of `value`."""
        return share * value / self.total_kappa


def incidence_matrix(instance: Instance) -> scipy.sparse.csr_matrix:
    """D (edges, nodes): +1 at the head, -1 at the tail."""
    edges = np.arange(len(instance.head))
    return scipy.sparse.csr_matrix(
        (np.repeat([1.0, -1.0], len(edges)), (np.tile(edges, 2), np.concatenate([instance.head, instance.tail]))),
        shape=(len(edges), instance.nodes))
