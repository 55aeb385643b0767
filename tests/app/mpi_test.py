"""Several processes solve one problem (`--engine mpi`), and runs that are saved (`--checkpoint`): real processes."""

import csv
import json
import os
import random
import signal
import subprocess
import time

from app import GTVMIN, AppTest

FILES = ["clusters.csv", "edges.csv", "nodes.csv", "parameters.csv"]
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


class Cluster(AppTest):
    def setUp(self):
        super().setUp()
        self.gtvmin("generate", "sbm", "--sizes", "20,15,25", "--p-in", "0.4", "--p-out", "0.03", "--dimension", "3",
                    "--samples", "2", "--accessible", "0.7", "--noise", "0.3", "--truth", "gaussian", "--seed", "3",
                    "--out", "p")
        self.problem = ["--data", "p/data.csv", "--edges", "p/edges.csv", "--lambda", "0.05"]

    def command(self, processes, *options):
        engine = ["mpirun", "-n", str(processes), "--oversubscribe", GTVMIN, "solve", "--engine", "mpi"]
        alone = [GTVMIN, "solve", "--polish", "off"]
        return [*(engine if processes else alone), *self.problem, *options]

    def run_on(self, processes, *options, expect=0):
        done = subprocess.run(self.command(processes, *options), cwd=self.folder, env=ENVIRONMENT, text=True,
                              capture_output=True, timeout=300, check=False)
        self.assertEqual(done.returncode, expect, done.stderr)
        return done

    def told(self, out):
        """All files that say nothing of time; what the others say of anything else."""
        files = {name: (self.folder / out / name).read_bytes() for name in FILES}
        with open(self.folder / out / "trace.csv", encoding="utf-8") as trace:
            rows = [{key: value for key, value in row.items() if key != "seconds"} for row in csv.DictReader(trace)]
        summary = json.loads((self.folder / out / "summary.json").read_text(encoding="utf-8"))
        return files, rows, {key: value for key, value in summary.items() if key not in ("seconds", "options")}

    def test_any_number_of_processes_gives_the_bits_of_one(self):
        for options in ([], ["--model", "linear", "--penalty", "l1", "--tol", "1e-8"], ["--method", "algorithm1", "--tol", "1e-4"],
                        ["--standardize", "--intercept", "--couple", "x1,x2", "--ridge", "0.01"]):
            self.run_on(0, *options, "--out", "alone", "--force")
            for processes in (1, 2, 5):
                with self.subTest(options=options, processes=processes):
                    self.run_on(processes, *options, "--out", "together", "--force")
                    self.assertEqual(self.told("together"), self.told("alone"))

    def test_more_processes_than_nodes_are_no_harm(self):
        self.write("few.csv", "node,y,x\na,1,1\nb,2,1\nc,9,1\n")
        self.write("links.csv", "source,target\na,b\nb,c\n")
        self.problem = ["--data", "few.csv", "--edges", "links.csv", "--lambda", "0.1"]
        self.run_on(0, "--out", "alone")
        self.run_on(5, "--out", "together")
        self.assertEqual(self.told("together"), self.told("alone"))

    def test_bad_input_is_told_once_and_ends_all(self):
        self.write("bad.csv", "node,y,x1\n1,2,oops\n")
        self.problem = ["--data", "bad.csv", "--edges", "p/edges.csv", "--lambda", "0.1"]
        done = self.run_on(3, "--out", "out", expect=3)
        self.assertEqual(done.stderr.count("bad.csv:2"), 1, done.stderr)
        self.assertFalse((self.folder / "out").exists())

    def test_what_needs_the_whole_problem_is_refused(self):
        self.assertIn("--engine self", self.run_on(2, "--polish", "on", "--out", "o", expect=2).stderr)
        done = self.gtvmin("solve", *self.problem, "--checkpoint", "c", "--out", "o", expect=2)
        self.assertIn("--polish off", done.stderr)

    def interrupted_runs(self, save, *options):
        """Starts the run again and again, on other numbers of processes, and kills it at random moments."""
        rng = random.Random(11)
        killed = 0
        for attempt in range(200):
            processes = (0, 1, 2, 3)[attempt % 4]
            with subprocess.Popen(self.command(processes, *save, *options, "--out", "killed", "--force"), cwd=self.folder,
                                  env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  start_new_session=True) as run:
                moment = time.monotonic() + 0.2 + 0.8 * rng.random()
                while run.poll() is None and time.monotonic() < moment:
                    time.sleep(0.005)
                if run.poll() is not None:
                    self.assertIn(run.returncode, (0, 4))
                    return killed
                os.killpg(run.pid, signal.SIGKILL)
                killed += 1
        self.fail("never came to an end")

    def test_a_run_that_is_killed_again_and_again_ends_with_the_bits_of_an_undisturbed_one(self):
        # Saved after every iteration, so that many a kill hits a save.
        options = ["--tol", "0", "--max-iterations", "1500"]
        self.run_on(0, *options, "--out", "alone", expect=4)
        self.assertGreater(self.interrupted_runs(["--checkpoint", "saved", "--checkpoint-every", "1"], *options), 1)
        self.assertEqual(self.told("killed"), self.told("alone"))

    def test_a_checkpoint_of_another_run_or_a_damaged_one_is_refused(self):
        save = ["--checkpoint", "saved", "--checkpoint-every", "10"]
        self.run_on(0, *save, "--out", "out")
        self.run_on(2, *save, "--out", "again")  # goes on at the end, and ends at once
        self.assertEqual(self.told("again"), self.told("out"))
        self.problem[-1] = "0.06"
        self.assertIn("other options", self.run_on(2, *save, "--out", "other", expect=3).stderr)
        self.problem[-1] = "0.05"
        path = self.folder / "saved" / "checkpoint"
        whole = path.read_bytes()
        for damaged in (b"", whole[:-1], whole[:50], whole[:200] + b"!" + whole[201:], b"\xff" * 100):
            path.write_bytes(damaged)
            done = self.run_on(0, *save, "--out", "other", expect=3)
            self.assertIn("saved/checkpoint", done.stderr)
