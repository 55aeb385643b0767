"""The problems of the yardstick, one row each, and their files.

Knows nothing of numpy, so that the process that starts the measurements stays small (see process.py).
"""

import dataclasses
import json
import pathlib
import shutil
import subprocess

# About a third of the smallest lambda at which one cluster is optimal on `geometric`, at full size and at the size of
# --quick. At full size that lambda is at least 106.0: the sum of the gradients of cluster 2 at the pooled fit, over the
# edges that leave the cluster.
GEOMETRIC_LAMBDA = 36.0
QUICK_GEOMETRIC_LAMBDA = 6.0


@dataclasses.dataclass(frozen=True)
class Data:
    """A call of `gtvmin generate`: the kind of graph and its options."""

    folder: str
    graph: str
    options: dict[str, str]


@dataclasses.dataclass(frozen=True)
class Row:
    """One problem: data, model, penalty and lambda."""

    name: str
    data: Data
    model: str
    penalty: str
    lam: float
    sparse_factors: bool = False  # whether Newton systems factor with little fill
    in_quick: bool = True  # whether --quick measures it unasked


def _data(folder: str, graph: str, **options: object) -> Data:
    return Data(folder, graph, {name.replace("_", "-"): str(value) for name, value in options.items()})


def rows(quick: bool) -> list[Row]:
    """The table of problems; `quick` cuts the sizes down."""

    def size(full: object, small: object) -> object:
        return small if quick else full

    sbm = _data("sbm", "sbm")
    sbm_large = _data("sbm-large", "sbm", sizes=size("50x2000", "10x100"), p_in=size(0.009, 0.1),
                      p_out=size(0.00002, 0.001), dimension=10, samples=20, accessible=0.6)
    grid = _data("grid", "grid", rows=size(300, 60), cols=size(300, 60), samples=1)
    chain = _data("chain", "chain", sizes=size("10000,10000", "1000,1000"), samples=5, accessible=0.6, noise=0.1)
    star = _data("star", "star", nodes=size(10001, 1001), dimension=5, samples=5)
    geometric = _data("geometric", "geometric", nodes=size(100000, 3000), neighbours=8, dimension=8, samples=10)
    scale_free = _data("scale-free", "scale-free", nodes=size(100000, 3000), attachments=10, dimension=8, samples=10)
    logistic = _data("logistic", "sbm", sizes=size("500,500", "60,60"), model="logistic", dimension=20, samples=30)
    return [
        Row("sbm l2", sbm, "linear", "l2", 0.01),
        Row("sbm l1", sbm, "linear", "l1", 0.01),
        Row("sbm-large", sbm_large, "linear", "l2", 0.05, in_quick=False),
        Row("grid-fine l2", grid, "point", "l2", 0.2, sparse_factors=True),
        Row("grid-fine l1", grid, "point", "l1", 0.2, sparse_factors=True, in_quick=False),
        Row("grid-coarse l2", grid, "point", "l2", 3.0, sparse_factors=True, in_quick=False),
        Row("grid-coarse l1", grid, "point", "l1", 3.0, sparse_factors=True),
        Row("chain 0.1", chain, "linear", "l2", 0.1, sparse_factors=True),
        Row("chain 10", chain, "linear", "l2", 10.0, sparse_factors=True),
        Row("star", star, "linear", "l2", 0.5, sparse_factors=True),
        Row("geometric", geometric, "linear", "l2", float(size(GEOMETRIC_LAMBDA, QUICK_GEOMETRIC_LAMBDA))),
        Row("scale-free", scale_free, "linear", "l1", 0.1),
        Row("logistic", logistic, "logistic", "l2", 0.02),
    ]


def provide_data(gtvmin: pathlib.Path, data: Data, parent: pathlib.Path) -> pathlib.Path:
    """The folder with the files of `data`, generated unless its generate.json says that it is there already."""
    folder = parent / data.folder
    if not _matches(folder / "generate.json", data):
        shutil.rmtree(folder, ignore_errors=True)
        folder.parent.mkdir(parents=True, exist_ok=True)
        options = [word for name, value in data.options.items() for word in (f"--{name}", value)]
        subprocess.run([gtvmin, "generate", data.graph, *options, "--seed", "1", "--out", folder], check=True,
                       stdout=subprocess.DEVNULL)
    return folder


def _matches(record: pathlib.Path, data: Data) -> bool:
    if not record.exists():
        return False
    made = json.loads(record.read_text())
    wanted = data.options | {"seed": "1"}
    return made["graph"] == data.graph and all(
        _same(made["options"].get(name), value) for name, value in wanted.items())


def _same(made: object, wanted: str) -> bool:
    if isinstance(made, list):
        return ",".join(made) == wanted
    if isinstance(made, (int, float)):
        return float(made) == float(wanted)
    return made == wanted
