"""Small inputs that once led to false bounds, crashes or endless loops; an upper bound on each optimum is known."""

import math
import pathlib
import random
import tempfile
import unittest
from decimal import Decimal

import planted_claims
from exact_objective import objective
from planted_claims import OF_OBJECTIVE, OF_ZERO, Run, false_bound, false_flows, false_statements_of_any_run
from planted_problem import METHODS, PENALTIES, Edge, PlantedProblem
from planted_samples import Sample


class Given(PlantedProblem):
    """A problem from rows (node, y, features) and edges (i, j, weight) instead of a seed."""

    def __init__(self, rows, edges, lam, penalty="l2", loss="squared", delta=1.0):
        self.loss = self.sample_kind = loss
        self.discrete = loss in ("logistic", "poisson")
        self.penalty, self.norm, self.lam, self.delta, self.ridge = penalty, penalty != "squared_l2", lam, delta, 0.0
        self.n = 1 + max([row[0] for row in rows] + [i for e in edges for i in e[:2]])
        self.d = self.coupled = len(rows[0][2])
        self.private, self.mean, self.tol, self.method = False, True, "1e-6", ()
        self.samples = [[Sample(list(x), y) for i, y, x in rows if i == node] for node in range(self.n)]
        self.edges = [Edge(i, j, weight) for i, j, weight in edges]


class Awkward(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name

    def check(self, label, problem, candidates, options=()):
        """Runs the problem; F of each candidate, or the infimum as a Decimal, is an upper bound on the optimum."""
        planted_claims.write(problem, self.folder)
        run = Run(self.folder, [*problem.options(), *options])
        false = false_statements_of_any_run(run)
        if run.code in (0, 4):
            w = [run.parameters.get(name, [0.0] * problem.d) for name in problem.names()]
            self.assertTrue(all(math.isfinite(x) for row in w for x in row), label)
            value = objective(problem, w)
            rounding = OF_OBJECTIVE * value + OF_ZERO * objective(problem, [[0.0] * problem.d] * problem.n)
            best = min(c if isinstance(c, Decimal) else objective(problem, c) for c in candidates)
            false += false_bound(run, value, best, rounding)
            false += false_flows(problem, run) if problem.norm else []
        if false:
            self.fail(planted_claims.keep(label, run, false))
        return run

    def test_two_samples_with_features_of_eleven_magnitudes(self):
        """Two samples and two features: one vector fits both, so the optimum is 0."""
        rows = [(0, -2.5374992010260633, [-0.5123531813157907, 71698.02900087774]),
                (1, -0.9628151365712546, [-1.5001616377669612e-07, -0.03065282078064867])]
        for method in METHODS:
            with self.subTest(method=method):
                self.check("eleven-magnitudes", Given(rows, [(0, 1, 1.0)], 1.094531898216392), [Decimal(0)], method)

    def test_two_samples_with_random_magnitudes(self):
        for seed in range(100):
            rng = random.Random(seed)
            span = rng.choice([2, 4, 6])
            rows = [(i, rng.gauss(0, 1), [rng.choice([-1, 1]) * 10 ** rng.uniform(-span, span) for _ in range(2)])
                    for i in range(2)]
            problem = Given(rows, [(0, 1, 1.0)], 10 ** rng.uniform(-2, 2), rng.choice(PENALTIES))
            method = ["--accelerators", "none"] if seed % 3 == 0 else []
            with self.subTest(seed=seed):
                self.check(f"two-samples-{seed}", problem, [Decimal(0)], method)

    def test_a_node_whose_features_are_almost_collinear(self):
        """w = (-1e8, 1) fits both samples."""
        rows = [(0, 0.0, [1.0, 1e8]), (0, 1.0, [0.0, 1.0])]
        self.check("collinear-alone", Given(rows, [], 1.0), [Decimal(0)])
        self.check("collinear-pair", Given(rows, [(0, 1, 1.0)], 1.0), [Decimal(0)])

    def test_features_of_scales_1_and_1e_12(self):
        rng = random.Random(12)
        rows = [(i // 4, rng.gauss(0, 1), [rng.gauss(0, 1), 1e-12 * rng.gauss(0, 1)]) for i in range(8)]
        problem = Given(rows, [(0, 1, 1.0)], 0.5)

        def fit(samples):
            (a, b), (p, q) = samples[0].x, samples[1].x
            det = a * q - b * p
            return [(samples[0].y * q - b * samples[1].y) / det, (a * samples[1].y - p * samples[0].y) / det]

        fits = [fit(problem.samples[i][k:k + 2]) for i in range(2) for k in range(3)]
        self.check("scales-1e-12", problem, [[a, b] for a in fits for b in fits])

    def test_labels_near_1e8_with_bounded_slopes(self):
        labels = [1e8, 1e8 + 1, 1e8 + 5, 1e8 + 6, -1e8]
        rows = [(i, y, [1.0]) for i, y in enumerate(labels)]
        edges = [(i, i + 1, 1.0) for i in range(len(labels) - 1)]
        candidates = [[[y] for y in labels]] + [[[y]] * len(labels) for y in labels]
        for loss in ("absolute", "huber"):
            for penalty in PENALTIES:
                for lam in (1e-3, 0.4, 10.0):
                    with self.subTest(loss=loss, penalty=penalty, lam=lam):
                        problem = Given(rows, edges, lam, penalty, loss)
                        run = self.check(f"large-labels-{loss}-{penalty}-{lam}", problem, candidates)
                        self.assertNotEqual([row for row in run.parameters.values() if any(row)], [], "w = 0")

    # Node 0 has as many samples as features, and one vector fits nodes 1 and 2.
    ROWS = [(0, 1.0, [1.0, 0.5]), (0, 2.0, [0.0, 1.0]), (1, -1.0, [1.0, 2.0]), (2, 3.0, [1.0, -1.0])]
    FITS = [[0.0, 2.0], [5 / 3, -4 / 3], [5 / 3, -4 / 3]]

    def test_weights_whose_squares_underflow_are_refused_by_name(self):
        for weight, lam in ((1e-300, 1.0), (1.0, 1e-310), (1e200, 1.0)):
            for penalty in PENALTIES:
                with self.subTest(weight=weight, lam=lam, penalty=penalty):
                    problem = Given(self.ROWS, [(0, 1, weight), (1, 2, 1.0)], lam, penalty)
                    planted_claims.write(problem, self.folder)
                    run = Run(self.folder, problem.options())
                    self.assertEqual(run.code, 3)
                    self.assertIn("rescale", run.errors)

    def test_an_edge_weight_of_1e_100(self):
        for penalty in PENALTIES:
            for method in METHODS:
                with self.subTest(penalty=penalty, method=method):
                    problem = Given(self.ROWS, [(0, 1, 1e-100), (1, 2, 1.0)], 1.0, penalty)
                    self.check(f"weight-1e-100-{penalty}", problem, [self.FITS], method)

    def test_separable_classes_without_a_ridge(self):
        """The infimum is 0 and is not attained: no proof of optimality, or a bound of at least the objective."""
        rows = [(i, y, [y * (1.0 + 0.25 * i), 0.5 * i * y]) for i in range(3) for y in (-1.0, 1.0)]
        for penalty in PENALTIES:
            with self.subTest(penalty=penalty):
                problem = Given(rows, [(0, 1, 1.0), (1, 2, 1.0)], 0.3, penalty, "logistic")
                run = self.check(f"separable-{penalty}", problem, [Decimal(0)], ["--max-iterations", "2000"])
                if run.summary["certificate"]["kind"] == "gap":
                    self.assertGreaterEqual(run.summary["certificate"]["value"], run.summary["objective"])


if __name__ == "__main__":
    unittest.main()
