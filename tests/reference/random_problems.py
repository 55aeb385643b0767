"""Seeded random problems of many shapes, written as the CSV files that gtvmin reads."""

import csv
import os

import numpy as np

from reference_solver import Objective, Samples

PENALTIES = ("l2", "l1", "linf", "squared_l2", "quadratic")
ODD_NAMES = ('a "quoted" name', "comma, inside", "käthe", "日本", "line\nbreak", "0", "00", "-1", "1e3", "'", ";")


class Problem:
    def __init__(self, family, objective, names, options, data_rows, edge_rows, header, q):
        self.family, self.objective, self.names, self.options = family, objective, names, options
        self.data_rows, self.edge_rows, self.header, self.q = data_rows, edge_rows, header, q

    def write(self, directory):
        def table(name, rows):
            with open(os.path.join(directory, name), "w", newline="", encoding="utf-8") as file:
                csv.writer(file, lineterminator="\n").writerows(rows)

        table("data.csv", [self.header] + self.data_rows)
        table("edges.csv", [("source", "target", "weight")] + self.edge_rows)
        if self.q is not None:
            table("q.csv", [[repr(float(v)) for v in row] for row in self.q])

    def arguments(self, directory):
        o = self.objective
        arguments = ["--data", os.path.join(directory, "data.csv"), "--edges", os.path.join(directory, "edges.csv"),
                     "--model", o.model, "--penalty", o.penalty, "--lambda", repr(float(o.lam))]
        if self.q is not None:
            arguments += ["--quadratic-matrix", os.path.join(directory, "q.csv")]
        return arguments + self.options


def chain(rng, n):
    return [(i, i + 1) for i in range(n - 1)]


def tree(rng, n):
    return [(int(rng.integers(0, i)), i) for i in range(1, n)]


def star(rng, n):
    return [(0, i) for i in range(1, n)]


def grid(rng, n):
    side = max(2, int(round(np.sqrt(n))))
    index = lambda r, c: r * side + c
    return ([(index(r, c), index(r, c + 1)) for r in range(side) for c in range(side - 1)]
            + [(index(r, c), index(r + 1, c)) for r in range(side - 1) for c in range(side)])


def sbm(rng, n):
    half = n // 2
    p = lambda i, j: 0.6 if (i < half) == (j < half) else 0.08
    return [(i, j) for i in range(n) for j in range(i + 1, n) if rng.random() < p(i, j)]


def sparse(rng, n):
    return [(i, j) for i in range(n) for j in range(i + 1, n) if rng.random() < 2.0 / n]


def complete(rng, n):
    return [(i, j) for i in range(n) for j in range(i + 1, n)]


def components(rng, n):
    third = max(2, n // 3)
    edges = []
    for k in range(3):
        edges += [(a + k * third, b + k * third) for a, b in tree(rng, third)]
        edges += [(k * third + a, k * third + b) for a, b in sparse(rng, third)]
    return sorted(set(edges))


GRAPHS = {"chain": chain, "tree": tree, "star": star, "grid": grid, "sbm": sbm, "sparse": sparse, "complete": complete,
          "components": components}


def psd_matrix(rng, d):
    rank = int(rng.integers(1, d + 1))
    b = rng.standard_normal((d, rank)) * 10 ** rng.uniform(-1, 1)
    q = b @ b.T
    return (q + q.T) / 2


def node_names(rng, n):
    style = rng.integers(0, 3)
    if style == 0:
        names = [str(i) for i in range(n)]
    elif style == 1:
        names = [f"node-{int(v)}" for v in rng.permutation(10 * n)[:n]]
    else:
        names = (list(ODD_NAMES) + [f"x{i}" for i in range(n)])[:n]
        names = [names[i] for i in rng.permutation(n)]
    return names


def random_problem(rng, size=None, family=None, penalty=None, model=None, graph=None):
    """One problem; what is not given is drawn. `family` names a special situation or is 'plain'."""
    families = ["plain", "plain", "plain", "few_samples", "no_data", "dataless_component", "ill_scaled",
                "single_ill_scaled", "intercept", "ridge", "sum", "tiny_lambda", "huge_lambda", "zero_lambda",
                "duplicates", "zero_labels", "interpolable", "separable", "mixed", "mixed", "large_labels",
                "small_labels"]
    family = family or str(rng.choice(families))
    model = model or str(rng.choice(["linear", "linear", "point", "logistic"]))
    if family == "separable":
        model = "logistic"
    penalty = penalty or str(rng.choice(PENALTIES))
    graph = graph or str(rng.choice(list(GRAPHS)))
    n = size or int(rng.choice([2, 3, 4, 5, 8, 12, 16, 20]))
    d = int(rng.choice([1, 2, 2, 3, 5, 12])) if n <= 20 else int(rng.choice([1, 2, 3]))
    pairs = GRAPHS[graph](rng, n)
    n = max([n] + [max(a, b) + 1 for a, b in pairs])
    mixed = family == "mixed"
    heads = lambda p=0.5: bool(rng.random() < p)

    span = 3 if heads(0.7) else 0
    weights = 10 ** rng.uniform(-span / 2, span / 2, len(pairs))
    lam = 10 ** rng.uniform(-3, 1)
    if family == "tiny_lambda":
        lam = 10 ** rng.uniform(-8, -5)
    elif family == "huge_lambda":
        lam = 10 ** rng.uniform(3, 6)
    elif family == "zero_lambda":
        lam = 0.0
    mean = not (family == "sum" or (mixed and heads()))
    intercept = (family == "intercept" or (mixed and heads())) and model != "point"
    ridge = 0.0
    if family in ("ridge", "separable") or (mixed and heads()) or model == "logistic":
        ridge = 10 ** rng.uniform(-4, 0)
    if model == "logistic" and not mixed and family != "separable" and heads(0.3):
        ridge = 0.0

    features = d
    total = d + (1 if intercept else 0)
    q = psd_matrix(rng, total) if penalty == "quadratic" else None
    truths = rng.standard_normal((3, total))
    if family == "interpolable":
        truths[:] = truths[0]
    counts = rng.integers(1, 2 * d + 3, n)
    if family == "few_samples":
        counts = rng.integers(1, max(2, d), n)
    if family == "single_ill_scaled":
        counts[:] = 1
    if model == "point":
        counts = rng.integers(1, 4, n)
    if family == "no_data" or (mixed and heads()) or family == "dataless_component":
        counts[rng.random(n) < (0.5 if heads() else 0.15)] = 0
    noise = 0.0 if family == "interpolable" else 10 ** rng.uniform(-4, 0)
    scale = np.ones(features)
    if family in ("ill_scaled", "single_ill_scaled") or (mixed and heads(0.3)):
        scale[int(rng.integers(0, features))] = 100.0
    label_scale = {"large_labels": 1e6, "small_labels": 1e-6}.get(family, 1.0)

    edges = [(a, b, float(w)) for (a, b), w in zip(pairs, weights)]
    isolated = 0 if family == "interpolable" else int(rng.integers(0, 3)) if heads(0.4) else 0
    counts = list(counts) + [max(1, int(rng.integers(1, 4)))] * isolated
    n += isolated
    if family == "dataless_component":
        edges += [(n, n + 1, 1.0), (n + 1, n + 2, 0.3)]
        counts += [0, 0, 0]
        n += 3
    touched = {i for a, b, _ in edges for i in (a, b)}
    counts = [max(1, c) if i not in touched else c for i, c in enumerate(counts)]
    if not any(counts):
        counts[0] = 1

    samples, rows = [], []
    names = node_names(rng, n)
    for i in range(n):
        m = int(counts[i])
        if m == 0:
            samples.append(None)
            continue
        x = rng.standard_normal((m, features)) * scale
        if family == "duplicates":
            x[:] = x[0]
        full = np.hstack([x, np.ones((m, 1))]) if intercept else x
        w = truths[i * 3 // n]
        if model == "point":
            x = full = (w + noise * rng.standard_normal((m, total))) * label_scale
            if family == "zero_labels":
                x = full = np.zeros((m, total))
            y = np.zeros(m)
        elif model == "linear":
            y = (full @ w + noise * rng.standard_normal(m)) * label_scale
            if family == "zero_labels":
                y[:] = 0.0
        else:
            y = np.where(full @ w + noise * rng.standard_normal(m) > 0, 1.0, -1.0)
            if family == "separable" and heads():
                y[:] = 1.0
        samples.append(Samples(full, y))
        for k in range(m):
            values = [repr(float(v)) for v in x[k]]
            label = [] if model == "point" else [repr(float(y[k])) if model == "linear" else str(int(y[k]))]
            rows.append([names[i]] + label + values)
    rows = [rows[i] for i in rng.permutation(len(rows))]
    edge_rows = []
    for k in rng.permutation(len(edges)):
        a, b, w = edges[k]
        a, b = (a, b) if heads() else (b, a)
        edge_rows.append([names[a], names[b], repr(w)])
    header = ["node"] + ([] if model == "point" else ["y"]) + [f"f{k}" for k in range(features)]
    options = ([] if mean else ["--normalize", "sum"]) + (["--intercept"] if intercept else [])
    options += ["--ridge", repr(float(ridge))] if ridge else []
    objective = Objective(model, penalty, q, lam, mean, ridge, intercept, total, samples, edges)
    title = f"{family}-{model}-{penalty}-{graph}-n{n}-d{total}"
    return Problem(title, objective, names, options, rows, edge_rows, header, q)
