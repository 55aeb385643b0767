"""`reproduce all --quick` with its bounds. Handwritten digits are among it where nets are built and MNIST can be had."""

import csv
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from app import GTVMIN, ROOT

DATA = pathlib.Path(os.environ["GTVMIN_DATA"])
NOT_TO_BE_HAD = 77


def prepare_digits():
    """False if there are none."""
    if os.environ["GTVMIN_HAS_NETS"] not in ("ON", "TRUE", "1"):
        return False
    done = subprocess.run([ROOT / "experiments" / "mnist" / "prepare", DATA, "two"], capture_output=True, text=True,
                          check=False)
    if done.returncode not in (0, NOT_TO_BE_HAD):
        raise AssertionError(done.stdout + done.stderr)
    print(done.stderr, file=sys.stderr)
    return done.returncode == 0


def column(path, name):
    with open(path, newline="", encoding="utf-8") as file:
        return [row[name] for row in csv.DictReader(file)]


class Quick(unittest.TestCase):
    def test_all_bounds_hold(self):
        digits = prepare_digits()
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([GTVMIN, "reproduce", "all", "--quick", "--no-progress", "--data", DATA, "--out", folder],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("table1 as-run", done.stdout)
            self.assertEqual("mnist-two as-written" in done.stdout, digits, done.stderr)
            if digits:
                self.assertEqual(len(column(f"{folder}/mnist-two/as-written/mnist-two.csv", "alg1")), 50)
        print(done.stdout)

    def test_the_graph_of_the_digits_joins_no_clusters(self):
        if not prepare_digits():
            self.skipTest("there are no digits")
        folder = DATA / "mnist-two"
        cluster = dict(zip(column(folder / "clusters.csv", "node"), column(folder / "clusters.csv", "cluster")))
        edges = list(zip(column(folder / "edges.csv", "source"), column(folder / "edges.csv", "target")))
        self.assertGreater(len(edges), 80)
        self.assertEqual([edge for edge in edges if cluster[edge[0]] != cluster[edge[1]]], [])
