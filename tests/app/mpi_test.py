"""Several processes solve one problem (`--engine mpi`), and runs that are saved (`--checkpoint`): real processes."""

import csv
import json
import os
import pathlib
import random
import re
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
        for options, code in (([], 0), (["--model", "linear", "--penalty", "l1", "--tol", "1e-8"], 0),
                              (["--method", "algorithm1", "--tol", "1e-3"], 0),
                              (["--standardize", "--intercept", "--couple", "x1,x2", "--ridge", "0.01"], 4)):
            self.run_on(0, *options, "--out", "alone", "--force", expect=code)
            for processes in (1, 2, 5):
                with self.subTest(options=options, processes=processes):
                    self.run_on(processes, *options, "--out", "together", "--force", expect=code)
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
        self.assertIn("--accelerators none", done.stderr)

    def test_saving_every_so_often_needs_a_place_to_save(self):
        done = self.gtvmin("solve", *self.problem, "--checkpoint-every", "5", "--out", "o", expect=2)
        self.assertIn("--checkpoint-every needs --checkpoint", done.stderr)

    def start(self, processes, *options):
        return subprocess.Popen(self.command(processes, *options), cwd=self.folder, env=ENVIRONMENT, start_new_session=True,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def kill_again_and_again(self, kills, *options):
        """Kills an endless run at random moments between saves and starts it again, on other numbers of processes. Returns how
        many kills hit a save."""
        rng = random.Random(11)
        torn = 0
        for kill in range(kills):
            with self.start(kill % 4, *options, "--max-iterations", "1000000000", "--out", "endless") as run:
                self.wait_for_a_save("saved/checkpoint", run)
                time.sleep(0.03 * rng.random())
                self.assertIsNone(run.poll(), f"the run ended before kill {kill}")
                kill_session(run.pid)
            torn += len(os.listdir(self.folder / "saved")) > len(["checkpoint", "lock"])
        return torn

    def test_a_run_that_is_killed_again_and_again_ends_with_the_bits_of_an_undisturbed_one(self):
        save = ["--checkpoint", "saved", "--checkpoint-every", "1"]  # so that many a kill hits a save
        self.assertGreater(self.kill_again_and_again(12, "--tol", "0", *save), 0)
        # How far it got, only who reads the checkpoint knows: a limit that has been passed ends a run at once.
        self.run_on(0, "--tol", "0", *save, "--max-iterations", "1", "--out", "reached", expect=4)
        limit = ["--tol", "0", "--max-iterations", str(self.summary("reached")["iterations"] + 100)]
        self.run_on(3, *limit, *save, "--out", "killed", expect=4)
        self.run_on(0, *limit, "--out", "alone", expect=4)
        self.assertEqual(self.told("killed"), self.told("alone"))
        self.assertEqual(sorted(os.listdir(self.folder / "saved")), ["checkpoint", "lock"])

    def own_memory(self, processes):
        """Of each process of a run that has read its input, the bytes that are its own."""
        save = ["--checkpoint", f"saved{processes}", "--checkpoint-every", "1", "--tol", "0", "--max-iterations", "1000000000"]
        with self.start(processes, *save, "--out", "endless") as run:
            self.wait_for_a_save(f"saved{processes}/checkpoint", run)
            members = [name for name in os.listdir("/proc") if name.isdigit() and session_of(name) == run.pid]
            status = [pathlib.Path(f"/proc/{name}/status").read_text(encoding="utf-8") for name in members]
            kill_session(run.pid)
        ranks = [text for text in status if text.startswith("Name:\tgtvmin\n")]
        self.assertEqual(len(ranks), processes)
        return [1024 * int(re.search(r"RssAnon:\s*(\d+) kB", text).group(1)) for text in ranks]

    def test_a_process_keeps_only_the_rows_of_its_own_nodes(self):
        # 40 nodes with 1000 rows of 60 features that the model must keep: 19 MB in one process, 5 MB in each of four.
        features = [f"x{k}" for k in range(60)]
        rows = [f"{row % 40},{row // 40 % 2}," + ",".join(f"{row * (k + 3) % 7}" for k in range(60)) for row in range(40_000)]
        self.write("wide.csv", "\n".join([",".join(["node", "y", *features]), *rows]) + "\n")
        self.write("ring.csv", "source,target\n" + "".join(f"{i},{(i + 1) % 40}\n" for i in range(40)))
        self.problem = ["--data", "wide.csv", "--edges", "ring.csv", "--lambda", "0.1", "--model", "logistic", "--ridge", "0.1"]
        (whole,) = self.own_memory(1)
        for part in self.own_memory(4):
            self.assertLess(part, whole - 12_000_000)

    def test_a_checkpoint_that_a_run_still_writes_is_left_to_it(self):
        save = ["--checkpoint", "saved", "--checkpoint-every", "1", "--tol", "0", "--max-iterations", "1000000"]
        with self.start(2, *save, "--out", "first") as run:
            self.wait_for_a_save("saved/checkpoint", run)
            for processes in (0, 2):
                done = self.run_on(processes, *save, "--out", "second", expect=5)
                self.assertEqual(done.stderr.count("saved: in use by another run"), 1, done.stderr)
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
