"""The node losses of gtvmin, all nodes at once: value, gradient, curvature and prox without a loop over nodes.

Parameters are w (nodes, d). Nodes without samples have loss 0. value() is computed from the samples as they are; the other
functions may use a smaller equivalent form, which is prepared once, before any clock starts.
"""

from collections.abc import Callable

import numpy as np
from scipy.special import expit

from .instance import Instance

Prox = Callable[[np.ndarray, np.ndarray], np.ndarray]


class Losses:
    """What the three models share: which nodes have samples."""

    def __init__(self, instance: Instance):
        self.shape = (instance.nodes, instance.dimension)
        self.everywhere = len(instance.accessible) == instance.nodes
        self.at: slice | np.ndarray = slice(None) if self.everywhere else instance.accessible
        self.x, self.y = instance.x, instance.y
        self.samples = instance.x.shape[1]

    @property
    def strongly_convex(self) -> bool:
        """Whether all nodes together are, so that tilted_minimiser() exists."""
        return False

    def tilted_minimiser(self) -> Callable[[np.ndarray], np.ndarray]:
        """s -> argmin_w L_i(w) + <s_i, w> at every node."""
        raise NotImplementedError

    def value(self, w: np.ndarray) -> float:
        raise NotImplementedError

    def gradient(self, w: np.ndarray) -> np.ndarray:
        result = np.zeros(self.shape)
        result[self.at] = self.node_gradient(w[self.at])
        return result

    def hessian(self, w: np.ndarray) -> np.ndarray:
        """(nodes, d, d)."""
        result = np.zeros((*self.shape, self.shape[1]))
        result[self.at] = self.node_hessian(w[self.at])
        return result

    def node_gradient(self, w: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def node_hessian(self, w: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def prox(self, rho: np.ndarray, newton_steps: int) -> Prox:
        """(v, guess) -> argmin_z L_i(z) + rho_i/2 |z - v_i|^2 at every node; `guess` is near the answer."""
        node_prox = self.node_prox(rho[self.at][:, None], newton_steps)

        def apply(v: np.ndarray, guess: np.ndarray) -> np.ndarray:
            v[self.at] = node_prox(v[self.at], guess[self.at])
            return v

        return apply

    def node_prox(self, rho: np.ndarray, newton_steps: int) -> Prox:
        raise NotImplementedError


class LinearLosses(Losses):
    """(1/m) |X w - y|^2 = |R w - z|^2 + constant, where R is at most d x d. With R = U S V^T the prox is diagonal in V."""

    def __init__(self, instance: Instance):
        super().__init__(instance)
        scale = 1 / np.sqrt(self.samples)
        self.r, self.z = scale * self.x, scale * self.y
        if self.samples > instance.dimension:
            q, self.r = np.linalg.qr(self.r)
            self.z = np.einsum("kmd,km->kd", q, self.z)
        _, singular, self.v_t = np.linalg.svd(self.r, full_matrices=False)
        self.curvature = 2 * singular**2
        self.slope = 2 * np.einsum("krd,kr->kd", self.r, self.z)

    def value(self, w: np.ndarray) -> float:
        off = np.einsum("kmd,kd->km", self.x, w[self.at]) - self.y
        return float(np.einsum("km,km->", off, off)) / self.samples

    def node_gradient(self, w: np.ndarray) -> np.ndarray:
        return 2 * np.einsum("krd,kr->kd", self.r, np.einsum("krd,kd->kr", self.r, w) - self.z)

    def node_hessian(self, w: np.ndarray) -> np.ndarray:
        return 2 * np.einsum("kri,krj->kij", self.r, self.r)

    def node_prox(self, rho: np.ndarray, newton_steps: int) -> Prox:
        shift = self.slope / rho
        v_t = self.v_t
        if 2 * v_t.shape[1] <= v_t.shape[2]:
            shrink = -self.curvature / (self.curvature + rho)

            def apply(v: np.ndarray, _: np.ndarray) -> np.ndarray:
                a = v + shift
                return a + np.einsum("krd,kr->kd", v_t, shrink * np.einsum("krd,kd->kr", v_t, a))
        else:
            full = np.eye(v_t.shape[2]) - (v_t * (self.curvature / (self.curvature + rho))[:, :, None]).transpose(
                0, 2, 1) @ v_t

            def apply(v: np.ndarray, _: np.ndarray) -> np.ndarray:
                return np.einsum("kij,kj->ki", full, v + shift)

        return apply

    @property
    def strongly_convex(self) -> bool:
        full_rank = self.curvature.shape[1] == self.shape[1] and bool(self.curvature.min() > 1e-9)
        return self.everywhere and full_rank

    def tilted_minimiser(self) -> Callable[[np.ndarray], np.ndarray]:
        inverse = (self.v_t / self.curvature[:, :, None]).transpose(0, 2, 1) @ self.v_t
        return lambda s: np.einsum("kij,kj->ki", inverse, self.slope - s)


class PointLosses(Losses):
    """(1/m) sum_r |w - x_r|^2 = |w - mean|^2 + constant."""

    def __init__(self, instance: Instance):
        super().__init__(instance)
        self.mean = self.x.mean(axis=1)
        self.spread = float(((self.x - self.mean[:, None]) ** 2).sum()) / self.samples

    def value(self, w: np.ndarray) -> float:
        off = w[self.at] - self.mean
        return float(np.einsum("kd,kd->", off, off)) + self.spread

    def node_gradient(self, w: np.ndarray) -> np.ndarray:
        return 2 * (w - self.mean)

    def node_hessian(self, w: np.ndarray) -> np.ndarray:
        return np.broadcast_to(2 * np.eye(w.shape[1]), (*w.shape, w.shape[1]))

    def node_prox(self, rho: np.ndarray, newton_steps: int) -> Prox:
        keep, pull = rho / (rho + 2), 2 / (rho + 2) * self.mean
        return lambda v, _: keep * v + pull

    @property
    def strongly_convex(self) -> bool:
        return self.everywhere

    def tilted_minimiser(self) -> Callable[[np.ndarray], np.ndarray]:
        return lambda s: self.mean - s / 2


class LogisticLosses(Losses):
    """(1/m) sum_r log(1 + exp(-y_r x_r^T w)). The prox is a few Newton steps from where the node stands."""

    def __init__(self, instance: Instance):
        super().__init__(instance)
        self.signed = self.y[:, :, None] * self.x

    def margins(self, w: np.ndarray) -> np.ndarray:
        return np.einsum("kmd,kd->km", self.signed, w)

    def value(self, w: np.ndarray) -> float:
        return float(np.logaddexp(0, -self.margins(w[self.at])).sum()) / self.samples

    def node_gradient(self, w: np.ndarray) -> np.ndarray:
        return self._gradient_at(expit(-self.margins(w)))

    def node_hessian(self, w: np.ndarray) -> np.ndarray:
        return self._hessian_at(expit(-self.margins(w)))

    def node_prox(self, rho: np.ndarray, newton_steps: int) -> Prox:
        ridge = rho[:, :, None] * np.eye(self.shape[1])

        def apply(v: np.ndarray, z: np.ndarray) -> np.ndarray:
            for _ in range(newton_steps):
                wrong = expit(-self.margins(z))
                residual = self._gradient_at(wrong) + rho * (z - v)
                z = z - np.linalg.solve(self._hessian_at(wrong) + ridge, residual)
            return z

        return apply

    def _gradient_at(self, wrong: np.ndarray) -> np.ndarray:
        return np.einsum("kmd,km->kd", self.signed, wrong) / -self.samples

    def _hessian_at(self, wrong: np.ndarray) -> np.ndarray:
        return (self.x * (wrong * (1 - wrong) / self.samples)[:, :, None]).transpose(0, 2, 1) @ self.x


def make_losses(instance: Instance) -> Losses:
    return {"linear": LinearLosses, "point": PointLosses, "logistic": LogisticLosses}[instance.model](instance)
