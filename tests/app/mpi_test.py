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


def session_of(process):
    """Of a process that runs; those that ended have none."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8") as stat:
            state, _, _, session = stat.read().rpartition(")")[2].split()[:4]
    except OSError:
        return None
    return None if state in "ZX" else int(session)


def kill_session(session):
    """Kills mpirun and its processes, which have groups of their own, and returns once nothing of them runs."""
    while members := [int(name) for name in os.listdir("/proc") if name.isdigit() and session_of(name) == session]:
        for process in members:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.005)


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

    def test_saving_every_so_often_needs_a_place_to_save(self):
        done = self.gtvmin("solve", *self.problem, "--checkpoint-every", "5", "--out", "o", expect=2)
        self.assertIn("--checkpoint-every needs --checkpoint", done.stderr)

    def start(self, processes, *options):
        return subprocess.Popen(self.command(processes, *options), cwd=self.folder, env=ENVIRONMENT, start_new_session=True,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def kill_and_resume(self, kills, *options):
        """Kills the run at random moments between saves and starts it again, on other numbers of processes."""
        rng = random.Random(11)
        killed = 0
        while True:
            with self.start((0, 1, 2, 3)[killed % 4], *options, "--out", "killed", "--force") as run:
                if killed < kills:
                    self.wait_for_a_save("saved/checkpoint", run)
                    time.sleep(0.03 * rng.random())
                    if run.poll() is None:
                        kill_session(run.pid)
                        killed += 1
                        continue
                self.assertIn(run.wait(), (0, 4))
                return killed

    def test_a_run_that_is_killed_again_and_again_ends_with_the_bits_of_an_undisturbed_one(self):
        # Saved after every iteration, so that many a kill hits a save.
        options = ["--tol", "0", "--max-iterations", "3000"]
        self.run_on(0, *options, "--out", "alone", expect=4)
        self.assertGreater(self.kill_and_resume(12, "--checkpoint", "saved", "--checkpoint-every", "1", *options), 2)
        self.assertEqual(self.told("killed"), self.told("alone"))
        self.assertEqual(sorted(os.listdir(self.folder / "saved")), ["checkpoint", "lock"])

    def test_a_checkpoint_that_a_run_still_writes_is_left_to_it(self):
        save = ["--checkpoint", "saved", "--checkpoint-every", "1", "--tol", "0", "--max-iterations", "1000000"]
        with self.start(2, *save, "--out", "first") as run:
            self.wait_for_a_save("saved/checkpoint", run)
            for processes in (0, 2):
                done = self.run_on(processes, *save, "--out", "second", expect=5)
                self.assertEqual(done.stderr.count("saved: another run saves its checkpoints here"), 1, done.stderr)
            kill_session(run.pid)

    def test_a_checkpoint_of_another_run_or_a_damaged_one_is_refused(self):
        save = ["--checkpoint", "saved", "--checkpoint-every", "10"]
        self.run_on(0, *save, "--out", "out")
        self.run_on(2, *save, "--out", "again")  # goes on at the end, and ends at once
        self.assertEqual(self.told("again"), self.told("out"))
        self.problem[-1] = "0.06"
        self.assertIn("other options", self.run_on(2, *save, "--out", "other", expect=3).stderr)
        self.problem[-1] = "0.05"
        renamed = self.read("p/data.csv").replace(b"x1,x2", b"x2,x1", 1)
        data, self.problem[1] = self.problem[1], self.write("renamed.csv", renamed).name
        self.assertIn("other data", self.run_on(0, *save, "--out", "other", expect=3).stderr)
        self.problem[1] = data
        path = self.folder / "saved" / "checkpoint"
        whole = path.read_bytes()
        for damaged in (b"", whole[:-1], whole[:50], whole[:200] + b"!" + whole[201:], b"\xff" * 100):
            path.write_bytes(damaged)
            done = self.run_on(0, *save, "--out", "other", expect=3)
            self.assertIn("saved/checkpoint", done.stderr)

    def test_a_checkpoint_belongs_to_what_its_matrices_hold_wherever_they_are(self):
        matrix = b"2,0,0\n0,1,0\n0,0,1\n"
        for option, model in (("--quadratic-matrix", ["--penalty", "quadratic"]), ("--covariance", ["--model", "gaussian-mean", "--features", "x1,x2,x3"])):
            with self.subTest(option=option):
                run = [*model, option, "matrix.csv", "--checkpoint", f"saved{option}", "--checkpoint-every", "1", "--out", "out", "--force",
                       "--tol", "0", "--max-iterations", "20"]
                self.write("matrix.csv", matrix)
                self.run_on(0, *run, expect=4)
                self.write("matrix.csv", matrix.replace(b"2", b"3"))
                self.assertIn("other data or other options", self.run_on(2, *run, expect=3).stderr)
                self.write("elsewhere/same.csv", matrix)
                run[run.index("matrix.csv")] = "elsewhere/same.csv"
                self.run_on(2, *run, expect=4)
