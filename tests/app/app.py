"""What the tests of the command share: a scratch folder, small inputs, and a way to run the binary."""

import csv
import json
import os
import pathlib
import subprocess
import tempfile
import time
import unittest

GTVMIN = os.environ["GTVMIN"]
ROOT = pathlib.Path(os.environ["GTVMIN_ROOT"])

FILES = ["clustergraph.csv", "clusters.csv", "edges.csv", "nodes.csv", "parameters.csv", "summary.json", "trace.csv"]


class AppTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def wait_for_a_save(self, name, process):
        """Returns once another file has taken this name, or the process that should do it has ended."""
        def state():
            try:
                status = (self.folder / name).stat()
            except FileNotFoundError:
                return None
            return status.st_ino, status.st_mtime_ns

        before = state()
        while process.poll() is None and state() == before:
            time.sleep(0.001)

    def read(self, name):
        return (self.folder / name).read_bytes()

    def summary(self, name="out"):
        return json.loads(self.read(f"{name}/summary.json"))

    def rows(self, name):
        with open(self.folder / name, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def gtvmin(self, *arguments, expect=0, **options):
        done = subprocess.run([GTVMIN, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True,
                              timeout=300, **options)
        if expect is None:  # whatever it is, it is no crash
            self.assertIn(done.returncode, (0, 2, 3, 4), f"gtvmin {arguments}\n{done.stdout}{done.stderr}")
        else:
            self.assertEqual(done.returncode, expect, f"gtvmin {arguments}\n{done.stdout}{done.stderr}")
        return done

    def solve(self, *arguments, expect=0, **options):
        return self.gtvmin("solve", *arguments, expect=expect, **options)

    def write_small_problem(self):
        """Two groups of two nodes and one node that only the edge file knows."""
        self.write("data.csv", "node,y,x1,x2\na,1,1,0\nb,5,1,1\na,2,0,1\nc,-1,1,0\nd,-2,0,1\nc,-2,0.5,1\n")
        self.write("edges.csv", "source,target,weight\na,b,1\nc,d,1\nb,c,0.01\nd,quiet,1\n")
        return ["--data", "data.csv", "--edges", "edges.csv"]

    def write_long_problem(self, nodes=400):
        """A chain on which Algorithm 1 takes for ever."""
        lines = [f"{i},{(-1) ** (i // 40) * (1 + i % 7)},{1 + i % 3},{i % 5}\n" for i in range(nodes)]
        self.write("data.csv", "node,y,x1,x2\n" + "".join(lines))
        self.write("edges.csv", "source,target\n" + "".join(f"{i},{i + 1}\n" for i in range(nodes - 1)))
        return ["--data", "data.csv", "--edges", "edges.csv", "--lambda", "1", "--out", "out", "--method", "algorithm1",
                "--tol", "0", "--max-iterations", "1000000000"]
