"""The whole objective in PyTorch, by automatic differentiation: Adam and L-BFGS, double precision, all cores."""

import os
from collections.abc import Callable

import numpy as np
import torch

from .continuation import smoothings
from .losses import LinearLosses, LogisticLosses, Losses, PointLosses
from .objective import Objective
from .record import Recorder
from .rival import Run, Settings

Function = Callable[[torch.Tensor], torch.Tensor]

# Small problems are faster on one thread, so the number is tuned too. OMP_NUM_THREADS limits it.
ALL_CORES = int(os.environ.get("OMP_NUM_THREADS") or os.cpu_count() or 1)


class TorchObjective:
    """F with smoothed lengths. Indexing with tensors has the fastest backward pass of the ways to take differences."""

    def __init__(self, objective: Objective):
        instance = objective.instance
        self.shape = objective.shape
        self._loss = torch_loss(objective.losses)
        self._head, self._tail = torch.from_numpy(instance.head), torch.from_numpy(instance.tail)
        self._kappa = torch.from_numpy(objective.kappa)
        self._l1 = instance.penalty == "l1"

    def value(self, w: torch.Tensor, epsilon: float) -> torch.Tensor:
        v = w[self._head] - w[self._tail]
        squares = v.square() if self._l1 else v.square().sum(dim=1, keepdim=True)
        return self._loss(w) + (self._kappa * (squares + epsilon**2).sqrt()).sum()

    def start(self) -> torch.Tensor:
        return torch.zeros(self.shape, dtype=torch.float64, requires_grad=True)


def torch_loss(losses: Losses) -> Function:
    """The sum of the node losses, up to a constant."""
    at = losses.at if isinstance(losses.at, slice) else torch.from_numpy(losses.at)
    if isinstance(losses, LinearLosses):
        r, z = torch.from_numpy(np.ascontiguousarray(losses.r)), torch.from_numpy(losses.z)
        return lambda w: (torch.einsum("krd,kd->kr", r, w[at]) - z).square().sum()
    if isinstance(losses, PointLosses):
        mean = torch.from_numpy(losses.mean)
        return lambda w: (w[at] - mean).square().sum()
    assert isinstance(losses, LogisticLosses)
    signed, zero = torch.from_numpy(losses.signed), torch.zeros((), dtype=torch.float64)
    return lambda w: torch.logaddexp(zero, -torch.einsum("kmd,kd->km", signed, w[at])).sum() / losses.samples


class TorchAdam:
    """Adam on an objective with hardly any smoothing; the step is halved when `patience` iterations brought no progress."""

    accuracy = 1e-6
    SHARE = 1e-8

    def grid(self) -> list[Settings]:
        return [{"lr": lr, "patience": 20, "threads": ALL_CORES} for lr in (1e-3, 1e-2, 1e-1, 1.0)]

    def refine(self, best: Settings) -> list[Settings]:
        return [best | {"lr": best["lr"] * factor} for factor in (0.3, 1.0, 3.0)] + [
            best | {"patience": 100}, best | {"threads": 1}]

    def prepare(self, objective: Objective) -> Run:
        in_torch = TorchObjective(objective)
        epsilon = objective.epsilon(objective.value(np.zeros(objective.shape)), self.SHARE)
        return lambda settings, recorder: self.run(in_torch, epsilon, settings, recorder)

    def run(self, objective: TorchObjective, epsilon: float, settings: Settings, recorder: Recorder) -> None:
        torch.set_num_threads(settings["threads"])
        w = objective.start()
        adam = torch.optim.Adam([w], lr=settings["lr"])
        plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(
            adam, factor=0.5, patience=settings["patience"], threshold=1e-9, eps=0)
        while True:
            adam.zero_grad()
            value = objective.value(w, epsilon)
            value.backward()
            recorder.offer(w.detach().numpy())
            adam.step()
            plateau.step(value.item())


class TorchLbfgs:
    """L-BFGS with a strong Wolfe line search and continuation in the smoothing, `steps` iterations for each."""

    accuracy = 1e-6
    LAST_SHARE = 1e-8

    def grid(self) -> list[Settings]:
        return [{"steps": steps, "factor": 0.1, "history": 20, "threads": ALL_CORES} for steps in (20, 60, 200, 600)]

    def refine(self, best: Settings) -> list[Settings]:
        return [best, best | {"factor": 0.3}, best | {"factor": 0.03}, best | {"threads": 1}]

    def prepare(self, objective: Objective) -> Run:
        in_torch = TorchObjective(objective)
        return lambda settings, recorder: self.run(objective, in_torch, settings, recorder)

    def run(self, objective: Objective, in_torch: TorchObjective, settings: Settings, recorder: Recorder) -> None:
        torch.set_num_threads(settings["threads"])
        w = in_torch.start()
        path = smoothings(objective, lambda: objective.value(w.detach().numpy()), self.LAST_SHARE, settings["factor"])
        for share, epsilon in path:
            steps = settings["steps"] if share * settings["factor"] > self.LAST_SHARE else 10**6
            optimizer = torch.optim.LBFGS([w], max_iter=steps, max_eval=10 * steps, history_size=settings["history"],
                                          line_search_fn="strong_wolfe", tolerance_grad=0, tolerance_change=0)

            def closure() -> torch.Tensor:
                optimizer.zero_grad()
                value = in_torch.value(w, epsilon)
                value.backward()
                recorder.offer(w.detach().numpy())
                return value

            optimizer.step(closure)
