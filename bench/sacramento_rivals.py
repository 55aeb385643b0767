#!/usr/bin/env python3
"""Measures other regression methods on the split of `./run`: the same known houses, the same withheld houses.

    bench/sacramento_rivals.py results/sacramento
    bench/sacramento_rivals.py --gtvmin build/release/bin/gtvmin --seeds 1-10

The first form reads the result directory of one `gtvmin demo sacramento`. The second form runs the demo once per seed, so
that every seed withholds other houses, and prints the mean over the splits. A split takes one to three minutes.

Every method may use beds, baths, square feet, latitude and longitude; the mixed model uses the postcode instead of
the coordinates. Hyperparameters are chosen by 5-fold cross-validation on the known houses; the withheld houses are used
once, for the printed error. Needs numpy and scikit-learn (Debian: python3-sklearn).
"""

import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import warnings

import numpy
from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Matern, WhiteKernel
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, KFold

ROOT = pathlib.Path(__file__).resolve().parents[1]
FEATURES = ["beds", "baths", "sqft"]


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


class Split:
    """Features and labels in the units of the demo: mean 0 and standard deviation 1 over the known houses."""

    def __init__(self, directory):
        houses = read(ROOT / "data" / "sacramento.csv")
        known, withheld = read(directory / "data.csv"), read(directory / "heldout.csv")
        rows = {kind: [int(row["node"].removeprefix("house-")) - 1 for row in samples]
                for kind, samples in (("known", known), ("withheld", withheld))}
        coordinates = numpy.array([[float(house["latitude"]), float(house["longitude"])] for house in houses])
        mean, deviation = coordinates[rows["known"]].mean(axis=0), coordinates[rows["known"]].std(axis=0)
        coordinates = (coordinates - mean) / deviation
        self.x, self.y, self.place, self.postcode = {}, {}, {}, {}
        for kind, samples in (("known", known), ("withheld", withheld)):
            self.x[kind] = numpy.array([[float(row[name]) for name in FEATURES] for row in samples])
            self.y[kind] = numpy.array([float(row["price"]) for row in samples])
            self.place[kind] = coordinates[rows[kind]]
            self.postcode[kind] = numpy.array([houses[k]["zip"] for k in rows[kind]])

    def features(self, kind):
        return numpy.hstack([self.x[kind], self.place[kind]])


def error(predicted, true):
    return float(numpy.mean((predicted - true) ** 2))


def folds():
    return KFold(n_splits=5, shuffle=True, random_state=0)


def tuned(estimator, grid):
    """Fits by cross-validated grid search; gives the test error and the chosen values."""
    def run(split):
        search = GridSearchCV(estimator, grid, scoring="neg_mean_squared_error", cv=folds())
        search.fit(split.features("known"), split.y["known"])
        chosen = {name: str(value) for name, value in search.best_params_.items()}
        return error(search.predict(split.features("withheld")), split.y["withheld"]), chosen
    return run


def linear(split):
    x = numpy.hstack([split.x["known"], numpy.ones((len(split.x["known"]), 1))])
    w = numpy.linalg.lstsq(x, split.y["known"], rcond=None)[0]
    return error(split.x["withheld"] @ w[:-1] + w[-1], split.y["withheld"]), {}


def fit_mixed(x, y, group, ratio):
    """Best linear unbiased prediction of y = xw + b_group + noise, with var(noise)/var(b) = ratio."""
    names, index = numpy.unique(group, return_inverse=True)
    fixed = numpy.hstack([x, numpy.ones((len(x), 1))])
    design = numpy.hstack([fixed, numpy.eye(len(names))[index]])
    penalty = numpy.diag([0.0] * fixed.shape[1] + [ratio] * len(names))
    solution = numpy.linalg.solve(design.T @ design + penalty + 1e-10 * numpy.eye(len(penalty)), design.T @ y)
    effects = dict(zip(names, solution[fixed.shape[1]:]))

    def predict(x_new, group_new):
        return x_new @ solution[:x.shape[1]] + solution[x.shape[1]] + [effects.get(name, 0.0) for name in group_new]
    return predict


def mixed(split):
    """Random intercept per postcode; the ratio of variances is chosen by the same cross-validation as for the others."""
    x, y, group = split.x["known"], split.y["known"], split.postcode["known"]

    def validation_error(ratio):
        total = 0.0
        for train, test in folds().split(x):
            predict = fit_mixed(x[train], y[train], group[train], ratio)
            total += numpy.sum((predict(x[test], group[test]) - y[test]) ** 2)
        return total
    ratio = min([0.03, 0.1, 0.3, 1, 3, 10, 30, 100], key=validation_error)
    predict = fit_mixed(x, y, group, ratio)
    return error(predict(split.x["withheld"], split.postcode["withheld"]), split.y["withheld"]), {"ratio": ratio}


def gaussian_process():
    """Kernel family by cross-validation; its length scales and the noise by maximum likelihood inside each fit."""
    ones = numpy.ones(len(FEATURES) + 2)
    bounds = (1e-2, 1e3)
    kernels = [ConstantKernel() * RBF(ones, bounds) + WhiteKernel(),
               ConstantKernel() * Matern(ones, bounds, nu=1.5) + WhiteKernel(),
               ConstantKernel() * Matern(ones, bounds, nu=0.5) + WhiteKernel()]
    return tuned(GaussianProcessRegressor(normalize_y=True, n_restarts_optimizer=1, random_state=0), {"kernel": kernels})


METHODS = [
    ("linear", linear),
    ("linear + latitude, longitude", tuned(Ridge(), {"alpha": [0.01, 0.1, 1, 10, 100]})),
    ("mixed model, intercept per postcode", mixed),
    ("random forest", tuned(RandomForestRegressor(n_estimators=300, random_state=0),
                            {"max_features": [0.4, 0.6, 1.0], "min_samples_leaf": [1, 2, 4, 8]})),
    ("gradient boosting", tuned(GradientBoostingRegressor(subsample=0.7, random_state=0),
                                {"learning_rate": [0.03, 0.1], "n_estimators": [100, 200, 400],
                                 "max_depth": [2, 3, 4], "min_samples_leaf": [5, 20]})),
    ("Gaussian process", gaussian_process()),
]


def gtvmin_error(directory, gtvmin):
    arguments = [gtvmin, "evaluate", directory, "--data", directory / "heldout.csv", "--json"]
    done = subprocess.run(arguments, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["labels"]["mean_squared_error"]


def measure(directory, gtvmin):
    split = Split(directory)
    found = {}
    for name, method in METHODS:
        found[name], chosen = method(split)
        print(f"  {name:36} {found[name]:.3f}  {chosen if chosen else ''}", flush=True)
    if gtvmin:
        found["gtvmin"] = gtvmin_error(directory, gtvmin)
        print(f"  {'gtvmin':36} {found['gtvmin']:.3f}", flush=True)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", nargs="?", type=pathlib.Path, help="result directory of gtvmin demo sacramento")
    parser.add_argument("--gtvmin", type=pathlib.Path, help="the gtvmin command, to measure it too")
    parser.add_argument("--seeds", help="run the demo for these seeds, e.g. 1-10; needs --gtvmin")
    arguments = parser.parse_args()
    if (arguments.directory is None) == (arguments.seeds is None) or (arguments.seeds and not arguments.gtvmin):
        parser.error("give a result directory, or --gtvmin and --seeds")
    warnings.filterwarnings("ignore", category=ConvergenceWarning)
    if arguments.directory:
        print("mean squared error on the withheld houses (1 = the variance of the known prices)")
        measure(arguments.directory, arguments.gtvmin)
        return
    first, last = (int(text) for text in (arguments.seeds.split("-") * 2)[:2])
    results = []
    with tempfile.TemporaryDirectory() as scratch:
        for seed in range(first, last + 1):
            directory = pathlib.Path(scratch) / str(seed)
            subprocess.run([arguments.gtvmin, "demo", "sacramento", "--data", ROOT / "data" / "sacramento.csv", "--out",
                            directory, "--seed", str(seed)], check=True, stdout=subprocess.DEVNULL)
            print(f"seed {seed}", flush=True)
            results.append(measure(directory, arguments.gtvmin))
    print(f"mean over {len(results)} splits, and standard error of the difference to gtvmin")
    for name in results[0]:
        values = numpy.array([found[name] for found in results])
        difference = values - numpy.array([found["gtvmin"] for found in results])
        spread = difference.std(ddof=1) / numpy.sqrt(len(results)) if len(results) > 1 else float("nan")
        print(f"  {name:36} {values.mean():.3f}   {difference.mean():+.3f} ± {spread:.3f}")


if __name__ == "__main__":
    sys.exit(main())
