"""A problem as arrays: what every rival starts from. Reading files is never part of a measured time."""

import dataclasses
import pathlib

import numpy as np


@dataclasses.dataclass(frozen=True)
class Instance:
    """x (k, m, d) and y (k, m) are the samples of the k nodes in `accessible`, m each; the others have none."""

    model: str
    penalty: str
    lam: float
    nodes: int
    accessible: np.ndarray
    x: np.ndarray
    y: np.ndarray
    head: np.ndarray
    tail: np.ndarray
    weight: np.ndarray

    @property
    def dimension(self) -> int:
        return self.x.shape[2]


def load(folder: pathlib.Path, model: str, penalty: str, lam: float) -> Instance:
    """Reads what prepare() left in `folder`."""
    samples, edges = (np.load(folder / name) for name in ("samples.npy", "edges.npy"))
    nodes = int(max(samples[:, 0].max(), edges[:, :2].max())) + 1
    accessible, counts = np.unique(samples[:, 0].astype(np.int64), return_counts=True)
    if counts.min() != counts.max():
        raise ValueError("the rivals work in batches: every node with samples must have the same number of them")
    samples = samples.reshape(len(accessible), counts[0], -1)
    labels = 0 if model == "point" else 1
    x = np.ascontiguousarray(samples[:, :, 1 + labels:])
    y = samples[:, :, 1].copy() if labels else np.zeros(samples.shape[:2])
    if model == "logistic" and y.min() == 0:
        y = 2 * y - 1
    ends = np.sort(edges[:, :2].astype(np.int64), axis=1)
    return Instance(model, penalty, lam, nodes, accessible, x, y, ends[:, 0].copy(), ends[:, 1].copy(), edges[:, 2].copy())


def prepare(folder: pathlib.Path) -> None:
    """Turns the CSV files that gtvmin generates (node names are numbers) into arrays, sorted by the first column."""
    for source, target in (("data.csv", "samples.npy"), ("edges.csv", "edges.npy")):
        if not (folder / target).exists():
            values = np.loadtxt(folder / source, delimiter=",", skiprows=1, ndmin=2)
            unfinished = folder / f"unfinished-{target}"
            np.save(unfinished, values[np.argsort(values[:, 0], kind="stable")])
            unfinished.rename(folder / target)
