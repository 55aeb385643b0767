#!/usr/bin/python3
"""For one parameter, absolute losses and integer data the dual problem is a minimum-cost flow, which networkx solves without
rounding: the optimal value, the dual value and the written flow are compared with it.

minimum_cost_flow_check.py GTVMIN
"""

import csv
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

import networkx

GTVMIN = sys.argv.pop(1)
PROBLEMS = 40
TOLERANCE = 1e-9


class Problem:
    """min over w of Σ_r |w_i(r) − y_r| + Σ_e A_e |w_i − w_j| with integer labels and weights."""

    def __init__(self, seed):
        rng = random.Random(seed)
        self.nodes = rng.randint(2, 40)
        self.samples = [(i, rng.randint(-1000, 1000)) for i in range(self.nodes) for _ in range(rng.randint(0, 3))]
        self.samples.append((0, rng.randint(-1000, 1000)))
        pairs = {(rng.randrange(i), i) for i in range(1, self.nodes)}
        for _ in range(rng.randint(0, 2 * self.nodes)):
            i, j = sorted(rng.sample(range(self.nodes), 2))
            pairs.add((i, j))
        self.edges = [(i, j, rng.randint(1, 4)) for i, j in sorted(pairs)]

    def write(self, folder):
        with open(folder / "data.csv", "w", encoding="utf-8") as file:
            file.write("node,y,x0\n" + "".join(f"n{i},{y},1\n" for i, y in self.samples))
        with open(folder / "edges.csv", "w", encoding="utf-8") as file:
            file.write("source,target,weight\n" + "".join(f"n{i},n{j},{a}\n" for i, j, a in self.edges))

    def optimal_value(self):
        """Slopes p_r in [−1, 1] are arcs between a ground node and node i; the value is −min Σ p_r y_r."""
        network = networkx.MultiDiGraph()
        for i, y in self.samples:
            network.add_edge("ground", i, capacity=1, weight=y)
            network.add_edge(i, "ground", capacity=1, weight=-y)
        for i, j, a in self.edges:
            network.add_edge(i, j, capacity=a, weight=0)
            network.add_edge(j, i, capacity=a, weight=0)
        return -networkx.network_simplex(network)[0]

    def dual_value(self, flow):
        """Of a flow {(i, j): u}: slopes of the samples of a node that answer it at least cost."""
        need = [0.0] * self.nodes
        for (i, j), u in flow.items():
            need[i] -= u
            need[j] += u
        value = 0.0
        for i in range(self.nodes):
            labels = sorted(y for k, y in self.samples if k == i)
            left = need[i] + len(labels)  # slopes start at −1 and are raised, smallest labels first
            assert -1e-6 <= left <= 2 * len(labels) + 1e-6, f"no slopes answer the flow at node {i}"
            for y in labels:
                raised = min(2.0, max(0.0, left))
                left -= raised
                value -= (raised - 1) * y
        return value


class MinimumCostFlow(unittest.TestCase):
    def test_dual_and_flow_are_those_of_a_minimum_cost_flow(self):
        for seed in range(PROBLEMS):
            with self.subTest(seed=seed), tempfile.TemporaryDirectory() as scratch:
                folder = pathlib.Path(scratch)
                problem = Problem(seed)
                problem.write(folder)
                penalty = ("l1", "l2", "linf")[seed % 3]
                command = [GTVMIN, "solve", "--data", folder / "data.csv", "--edges", folder / "edges.csv", "--loss",
                           "absolute", "--normalize", "sum", "--penalty", penalty, "--lambda", "1", "--tol",
                           str(TOLERANCE), "--write", "flows", "--no-progress", "--out", folder / "out"]
                subprocess.run(command, check=True, capture_output=True)
                summary = json.loads((folder / "out" / "summary.json").read_text(encoding="utf-8"))
                optimum = problem.optimal_value()
                room = TOLERANCE * max(1, optimum)
                self.assertLessEqual(summary["dual_value"], optimum + 1e-12 * max(1, optimum))
                self.assertGreaterEqual(summary["dual_value"], optimum - room)
                self.assertGreaterEqual(summary["objective"], optimum * (1 - 1e-12))
                self.assertLessEqual(summary["objective"], optimum + room)
                with open(folder / "out" / "flows.csv", newline="", encoding="utf-8") as file:
                    rows = list(csv.DictReader(file))
                name = next(column for column in rows[0] if column not in ("source", "target"))
                flow = {(int(row["source"][1:]), int(row["target"][1:])): float(row[name]) for row in rows}
                weights = {frozenset((i, j)): a for i, j, a in problem.edges}
                for pair, u in flow.items():
                    self.assertLessEqual(abs(u), weights[frozenset(pair)] * (1 + 1e-12))
                self.assertAlmostEqual(problem.dual_value(flow), optimum, delta=2 * room + 1e-6)


if __name__ == "__main__":
    unittest.main()
