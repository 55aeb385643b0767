#!/usr/bin/python3
"""Every model against an independent fit: one node and λ = 0 must agree with scikit-learn, statsmodels or a closed form,
and many nodes tied together by a large λ with the fit of all their rows.

model_check.py GTVMIN
"""

import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import scipy.optimize
import sklearn.covariance
import sklearn.linear_model
import statsmodels.api
import statsmodels.tsa.ar_model

GTVMIN = sys.argv.pop(1)
AGREE = 1e-6


def table(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


class ModelCheck(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.rng = np.random.default_rng(5)

    def write_rows(self, features, labels=None, nodes=None):
        nodes = nodes if nodes is not None else ["a"] * len(features)
        header = ["node"] + (["y"] if labels is not None else []) + [f"x{k}" for k in range(features.shape[1])]
        with open(self.folder / "data.csv", "w", newline="", encoding="utf-8") as file:
            out = csv.writer(file)
            out.writerow(header)
            for r, row in enumerate(features):
                label = [labels[r]] if labels is not None else []
                out.writerow([nodes[r], *label, *(repr(float(x)) for x in row)])

    def solve(self, *options, edges="", lambda_=0):
        (self.folder / "edges.csv").write_text("source,target\n" + edges, encoding="utf-8")
        done = subprocess.run(
            [GTVMIN, "solve", "--data", "data.csv", "--edges", "edges.csv", "--out", "out", "--force", "--lambda",
             str(lambda_), "--tol", "1e-12", "--max-iterations", "20000", "--no-progress", *map(str, options)],
            cwd=self.folder, capture_output=True, text=True, timeout=300, check=False)
        self.assertIn(done.returncode, (0, 4), done.stderr)
        summary = json.loads((self.folder / "out/summary.json").read_text(encoding="utf-8"))
        self.assertLess(summary["certificate"]["relative"], 1e-6)
        return np.array([[float(x) for k, x in row.items() if k != "node"]
                         for row in table(self.folder / "out/parameters.csv")])

    def check(self, found, expected):
        found, expected = np.ravel(found), np.ravel(expected)
        np.testing.assert_allclose(found, expected, rtol=AGREE, atol=AGREE * max(1, np.abs(expected).max()))

    def data(self, rows=60, features=3):
        x = self.rng.normal(size=(rows, features))
        return x, x @ np.array([1.0, -2.0, 0.5])[:features] + 0.3

    def test_squares(self):
        x, score = self.data()
        y = score + self.rng.normal(size=60)
        self.write_rows(x, y)
        self.check(self.solve("--intercept"), np.linalg.lstsq(np.c_[x, np.ones(60)], y, rcond=None)[0])
        ridge = sklearn.linear_model.Ridge(alpha=0.2 * 60, tol=1e-12).fit(x, y)
        self.check(self.solve("--intercept", "--ridge", 0.2), [*ridge.coef_, ridge.intercept_])

    def test_absolute_values(self):
        x, score = self.data(61)
        y = score + self.rng.standard_t(1.5, size=61)
        self.write_rows(x, y)
        median = sklearn.linear_model.QuantileRegressor(quantile=0.5, alpha=0, solver="highs").fit(x, y)
        self.check(self.solve("--loss", "absolute", "--intercept"), [*median.coef_, median.intercept_])

    def test_absolute_values_on_a_graph_are_a_linear_program(self):
        """min Σ|r| + λ Σ|w_i − w_j| with r = Xw − y: by HiGHS, in variables w, and a bound for every absolute value."""
        nodes, rows, d = 8, 9, 3
        x = self.rng.normal(size=(nodes * rows, d))
        truth = self.rng.normal(size=(2, d))
        node = np.arange(nodes * rows) // rows
        y = np.einsum("rd,rd->r", x, truth[node % 2]) + self.rng.standard_t(1.5, size=len(x))
        self.write_rows(x, y, [f"n{i}" for i in node])
        edges = [(i, i + 2) for i in range(nodes - 2)] + [(0, 1), (4, 7)]
        for lambda_ in (0.1, 1.0, 10.0):
            self.solve("--loss", "absolute", "--normalize", "sum", "--penalty", "l1",
                       edges="".join(f"n{i},n{j}\n" for i, j in edges), lambda_=lambda_)
            found = json.loads((self.folder / "out/summary.json").read_text(encoding="utf-8"))
            terms = np.zeros((len(x) + d * len(edges), nodes * d))
            for r, i in enumerate(node):
                terms[r, i * d:(i + 1) * d] = x[r]
            for e, (i, j) in enumerate(edges):
                for k in range(d):
                    terms[len(x) + e * d + k, i * d + k] = 1
                    terms[len(x) + e * d + k, j * d + k] = -1
            right = np.concatenate([y, np.zeros(d * len(edges))])
            cost = np.concatenate([np.zeros(nodes * d), np.ones(len(x)), np.full(d * len(edges), lambda_)])
            eye = np.eye(len(terms))
            program = scipy.optimize.linprog(cost, A_ub=np.block([[terms, -eye], [-terms, -eye]]),
                                             b_ub=np.concatenate([right, -right]), bounds=(None, None), method="highs")
            self.assertLess(abs(found["objective"] - program.fun), 1e-8 * program.fun)
            self.assertLessEqual(found["objective"] - program.fun, found["certificate"]["value"] + 1e-11 * program.fun)

    def test_huber(self):
        x, score = self.data()
        y = score + self.rng.standard_t(1.5, size=60)
        self.write_rows(x, y)
        norm = statsmodels.api.robust.norms.HuberT(t=1.345)
        fit = statsmodels.api.RLM(y, x, M=norm).fit(update_scale=False, maxiter=5000, tol=1e-13, conv="coefs")
        self.check(self.solve("--loss", "huber", "--huber-delta", repr(1.345 * fit.scale)), fit.params)

    def test_logistic(self):
        x, score = self.data(200)
        y = (self.rng.random(200) < 1 / (1 + np.exp(-score))).astype(int)
        self.write_rows(x, y)
        fit = statsmodels.api.Logit(y, np.c_[x, np.ones(200)]).fit(disp=False, tol=1e-14)
        self.check(self.solve("--model", "logistic", "--intercept"), fit.params)

    def test_softmax(self):
        x, _ = self.data(200)
        scores = x @ self.rng.normal(size=(3, 3))
        y = np.argmax(scores + self.rng.gumbel(size=scores.shape), axis=1)
        self.write_rows(x, [["low", "mid", "up"][k] for k in y])
        fit = sklearn.linear_model.LogisticRegression(
            multi_class="multinomial", C=1 / (2 * 0.05 * 200), fit_intercept=False, tol=1e-12, solver="newton-cg",
            max_iter=10000).fit(x, y)
        self.check(self.solve("--model", "softmax", "--ridge", 0.05), fit.coef_)

    def test_poisson(self):
        x, score = self.data(200)
        y = self.rng.poisson(np.exp(0.5 * score))
        self.write_rows(x, y)
        fit = statsmodels.api.GLM(y, np.c_[x, np.ones(200)], family=statsmodels.api.families.Poisson()).fit(tol=1e-14)
        self.check(self.solve("--model", "poisson", "--intercept"), fit.params)

    def test_autoregressive(self):
        values = [0.0, 0.0]
        for _ in range(150):
            values.append(0.5 * values[-1] - 0.3 * values[-2] + 0.2 + self.rng.normal())
        order = self.rng.permutation(len(values))
        (self.folder / "data.csv").write_text(
            "node,time,value\n" + "".join(f"a,{0.5 * t},{values[t]!r}\n" for t in order), encoding="utf-8")
        fit = statsmodels.tsa.ar_model.AutoReg(values, lags=2, trend="c").fit()
        self.check(self.solve("--model", "autoregressive", "--order", 2, "--intercept"), [*fit.params[1:], fit.params[0]])

    def test_gaussian_mean(self):
        x, _ = self.data(50)
        self.write_rows(x)
        self.check(self.solve("--model", "gaussian-mean"), x.mean(axis=0))
        root = self.rng.normal(size=(3, 3))
        covariance = root @ root.T + np.eye(3)
        np.savetxt(self.folder / "covariance.csv", covariance, delimiter=",", fmt="%r")
        precision = np.linalg.inv(covariance)
        # ½(x − µ)ᵀC⁻¹(x − µ) on average, plus 0.1‖µ‖².
        expected = np.linalg.solve(precision + 0.2 * np.eye(3), precision @ x.mean(axis=0))
        self.check(self.solve("--model", "gaussian-mean", "--covariance", "covariance.csv", "--ridge", 0.1), expected)

    def test_graphical(self):
        x = self.rng.normal(size=(80, 4)) @ self.rng.normal(size=(4, 4))
        self.write_rows(x)
        covariance = np.cov(x.T, bias=True)
        upper = [(j, k) for k in range(4) for j in range(k + 1)]
        exact = np.linalg.inv(covariance)
        self.check(self.solve("--model", "graphical"), [exact[j, k] for j, k in upper])
        sparse = sklearn.covariance.graphical_lasso(covariance, alpha=0.2, tol=1e-12, enet_tol=1e-12, max_iter=10000)[1]
        self.check(self.solve("--model", "graphical", "--sparsity", 0.2), [sparse[j, k] for j, k in upper])

    def test_a_large_lambda_gives_every_node_the_fit_of_all_rows(self):
        x, score = self.data(90)
        nodes = [f"n{r % 3}" for r in range(90)]
        y = (self.rng.random(90) < 1 / (1 + np.exp(-score))).astype(int)
        self.write_rows(x, y, nodes)
        pooled = statsmodels.api.Logit(y, x).fit(disp=False, tol=1e-14).params
        found = self.solve("--model", "logistic", "--normalize", "sum", edges="n0,n1\nn1,n2\n", lambda_=1e3)
        for row in found:
            self.check(row, pooled)

    def test_private_parameters_are_each_node_s_own_best(self):
        """Slopes tied together, intercepts free: least squares with one dummy variable per node."""
        x, score = self.data(90)
        nodes = [f"n{r % 3}" for r in range(90)]
        y = score + np.array([5.0, -3.0, 1.0])[np.arange(90) % 3] + self.rng.normal(size=90)
        self.write_rows(x, y, nodes)
        dummies = np.eye(3)[np.arange(90) % 3]
        expected = np.linalg.lstsq(np.c_[x, dummies], y, rcond=None)[0]
        found = self.solve("--intercept", "--couple", "x*", edges="n0,n1\nn1,n2\n", lambda_=1e3)
        for node, row in enumerate(found):
            self.check(row, [*expected[:3], expected[3 + node]])


if __name__ == "__main__":
    unittest.main()
