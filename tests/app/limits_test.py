"""Limits of the system and signals outside the solver: reading, writing, memory, file sizes, standard output."""

import json
import os
import random
import resource
import signal
import subprocess
import time
import unittest

from app import FILES, GTVMIN, AppTest

NOTHING = "gtvmin: interrupted; nothing is written\n"


class Signals(AppTest):
    def start(self, *arguments, **options):
        process = subprocess.Popen([GTVMIN, *map(str, arguments)], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, **options)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def assert_ends_within_a_second(self, process, number):
        begin = time.monotonic()
        process.send_signal(number)
        _, errors = process.communicate(timeout=60)
        self.assertLess(time.monotonic() - begin, 1)
        return errors

    def test_end_the_wait_for_a_pipe(self):
        os.mkfifo(self.folder / "data.csv")
        self.write("edges.csv", "source,target\na,b\n")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            for has_writer in (False, True):
                with self.subTest(number, has_writer=has_writer):
                    process = self.start("solve", "--data", "data.csv", "--edges", "edges.csv", "--lambda", 1, "--out", "out")
                    if has_writer:
                        with open(self.folder / "data.csv", "w", encoding="utf-8") as pipe:
                            pipe.write("node,y,x\n")
                            pipe.flush()
                            time.sleep(0.2)
                            errors = self.assert_ends_within_a_second(process, number)
                    else:
                        time.sleep(0.3)
                        errors = self.assert_ends_within_a_second(process, number)
                    self.assertEqual(process.returncode, 4)
                    self.assertEqual(errors, NOTHING)
                    self.assertEqual(sorted(os.listdir(self.folder)), ["data.csv", "edges.csv"])

    def test_end_the_reading_of_a_large_file(self):
        with open(self.folder / "data.csv", "w", encoding="utf-8") as file:
            file.write("node,y,x1,x2,x3,x4\n")
            for block in range(60):
                file.write("".join(f"{(i * 7919) % 90001},{i % 10},0.{i},1.{i},-2.{i},3.{i}\n"
                                   for i in range(block * 50000, (block + 1) * 50000)))
        self.write("edges.csv", "source,target\n0,1\n")
        for command in (["solve"], ["baseline", "local"]):
            for delay in (0.1, 0.6):
                with self.subTest(command, delay=delay):
                    process = self.start(*command, "--data", "data.csv", "--edges", "edges.csv", "--lambda", 1, "--out",
                                         "out", "--threads", 1) if command == ["solve"] else self.start(
                                             *command, "--data", "data.csv", "--edges", "edges.csv", "--out", "out")
                    time.sleep(delay)
                    errors = self.assert_ends_within_a_second(process, signal.SIGTERM)
                    self.assertEqual(process.returncode, 4)
                    self.assertEqual(errors, NOTHING)
                    self.assertEqual(sorted(os.listdir(self.folder)), ["data.csv", "edges.csv"])

    def test_at_any_time_leave_complete_results_or_none(self):
        nodes = 30000
        self.write("data.csv", "node,y,x1\n" + "".join(f"{i},{i % 7},{1 + i % 3}\n" for i in range(nodes)))
        self.write("edges.csv", "source,target\n" + "".join(f"{i},{i + 1}\n" for i in range(nodes - 1)))
        arguments = ["solve", "--data", "data.csv", "--edges", "edges.csv", "--lambda", 1, "--out", "out", "--force",
                     "--max-iterations", 20, "--no-progress"]
        begin = time.monotonic()
        self.start(*arguments).communicate(timeout=60)
        whole = time.monotonic() - begin
        rng = random.Random(3)
        for _ in range(12):
            for second in (False, True):
                subprocess.run(["rm", "-rf", self.folder / "out"], check=True)
                process = self.start(*arguments)
                time.sleep(rng.uniform(0.2, 1.1) * whole)
                process.send_signal(signal.SIGTERM)
                if second:
                    time.sleep(rng.uniform(0, 0.1) * whole)
                    process.send_signal(signal.SIGINT)
                process.communicate(timeout=60)
                self.assertIn(process.returncode, (0, 4, 130) if second else (0, 4, -signal.SIGTERM))
                left = sorted(os.listdir(self.folder))
                self.assertIn(left, (["data.csv", "edges.csv"], ["data.csv", "edges.csv", "out"]))
                if "out" in left:
                    self.assertEqual(sorted(os.listdir(self.folder / "out")), FILES)
                    json.loads(self.read("out/summary.json"))
                    self.assertEqual(len(self.rows("out/parameters.csv")), nodes)

    def test_that_the_caller_ignores_stay_ignored(self):
        process = self.start("solve", *self.write_long_problem(), "--time-limit", 2,
                             preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        process.stderr.readline()
        process.send_signal(signal.SIGHUP)
        process.communicate(timeout=60)
        self.assertNotEqual(self.summary()["status"], "interrupted")

    def test_a_terminal_that_is_gone_costs_only_the_progress(self):
        reading, writing = os.pipe()
        process = subprocess.Popen([GTVMIN, "solve", *self.write_long_problem(), "--time-limit", "2.5"], cwd=self.folder,
                                   stdout=subprocess.DEVNULL, stderr=writing)
        os.close(writing)
        os.read(reading, 1)
        os.close(reading)
        process.send_signal(signal.SIGHUP)
        self.assertEqual(process.wait(timeout=60), 4)
        self.assertEqual(self.summary()["status"], "interrupted")


class StandardOutput(AppTest):
    def commands(self):
        self.solve(*self.write_small_problem(), "--lambda", 0.1, "--out", "out")
        return [["--help"], ["--version"], ["solve", "--help"], ["predict", "out", "--data", "data.csv"],
                ["evaluate", "out", "--data", "data.csv"],
                ["solve", *self.write_small_problem(), "--lambda", "0.1", "--out", "out2", "--json", "--force"]]

    def test_that_is_full_is_a_failure(self):
        for command in self.commands():
            with self.subTest(command), open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([GTVMIN, *command], cwd=self.folder, stdout=full, stderr=subprocess.PIPE, text=True,
                                      timeout=60, check=False)
                self.assertEqual(done.returncode, 5)
                self.assertEqual(done.stderr.count("\n"), 1)
                self.assertIn("standard output cannot be written", done.stderr)

    def test_that_is_closed_is_a_failure(self):
        for command in self.commands():
            with self.subTest(command):
                done = subprocess.run([GTVMIN, *command], cwd=self.folder, stderr=subprocess.PIPE, text=True, timeout=60,
                                      preexec_fn=lambda: os.close(1), check=False)
                self.assertEqual(done.returncode, 5)
                self.assertIn("standard output cannot be written", done.stderr)

    def test_that_nobody_reads_is_a_failure(self):
        for command in self.commands():
            with self.subTest(command):
                reading, writing = os.pipe()
                os.close(reading)
                done = subprocess.run([GTVMIN, *command], cwd=self.folder, stdout=writing, stderr=subprocess.PIPE, text=True,
                                      timeout=60, check=False)
                os.close(writing)
                self.assertEqual(done.returncode, 5)

    def test_an_error_keeps_its_code(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([GTVMIN, "solve"], cwd=self.folder, stdout=full, stderr=subprocess.PIPE, timeout=60,
                                  check=False)
        self.assertEqual(done.returncode, 2)


class Resources(AppTest):
    @staticmethod
    def limited(kind, amount):
        return {"preexec_fn": lambda: resource.setrlimit(kind, (amount, amount))}

    def test_a_file_that_is_larger_than_allowed_is_reported_like_a_full_disk(self):
        arguments = self.write_small_problem()
        done = self.solve(*arguments, "--lambda", 0.1, "--out", "out", expect=5, **self.limited(resource.RLIMIT_FSIZE, 64))
        self.assertRegex(done.stderr, r"^gtvmin: out/\S+: cannot be written: File too large\n$")
        self.assertEqual(sorted(os.listdir(self.folder)), ["data.csv", "edges.csv"])

    def test_memory_is_checked_before_it_is_taken(self):
        features = 700
        self.write("data.csv", "node," + ",".join(f"x{k}" for k in range(features)) + "\n" +
                   "".join("0," + ",".join(str((k * s) % 11) for k in range(features)) + "\n" for s in (1, 2)))
        self.write("edges.csv", "source,target\n" + "".join(f"{i},{i + 1}\n" for i in range(2000)))
        done = self.solve("--data", "data.csv", "--edges", "edges.csv", "--lambda", 1, "--model", "graphical", "--out", "out",
                          expect=5, **self.limited(resource.RLIMIT_AS, 2 << 30))
        self.assertRegex(done.stderr, r"^gtvmin: a problem with 2001 nodes, 2000 edges and 245350 parameters each needs "
                                      r"about \d+ GiB of memory, 1\.\d GiB are available\n$")
        self.assertFalse((self.folder / "out").exists())

    def test_too_little_memory_is_never_a_crash(self):
        arguments = [*self.write_long_problem(2000)[:-1], "10", "--force", "--threads", "64"]
        codes = set()
        for mebibytes in (30, 50, 60, 70, 80, 100, 150, 300):
            done = subprocess.run([GTVMIN, "solve", *arguments], cwd=self.folder, capture_output=True, text=True,
                                  timeout=60, check=False, **self.limited(resource.RLIMIT_AS, mebibytes << 20))
            if done.returncode == 127:  # the loader found no memory for the libraries
                continue
            codes.add(done.returncode)
            self.assertIn(done.returncode, (0, 4, 5), f"{mebibytes} MiB: {done.stderr}")
        self.assertIn(4, codes)

    def test_threads_that_cannot_be_started_are_done_without(self):
        self.write("data.csv", "node,x1,x2\n" + "".join(f"{i},{i % 13},{i % 7}\n" for i in range(300)))
        arguments = ["graph", "--data", "data.csv", "--method", "wasserstein", "--threads", 64, "--force"]
        self.gtvmin(*arguments, "--out", "all.csv")
        # 64 stacks of 8 MiB do not fit.
        self.gtvmin(*arguments, "--out", "few.csv", **self.limited(resource.RLIMIT_AS, 200 << 20))
        self.assertEqual(self.read("all.csv"), self.read("few.csv"))


class Magnitudes(AppTest):
    def write_two_nodes(self, *numbers):
        rows = [f"{node},{y},{x}\n" for node, (y, x) in enumerate(numbers)]
        self.write("data.csv", "node,y,x1\n" + "".join(rows))
        self.write("edges.csv", "source,target\n0,1\n")
        return ["--data", "data.csv", "--edges", "edges.csv", "--lambda", "1", "--out", "out"]

    def test_numbers_whose_squares_overflow_are_refused_by_name(self):
        done = self.solve(*self.write_two_nodes((1, 1), (1, 1e300)), expect=3)
        self.assertEqual(done.stderr, "data.csv: node '1': feature x1 is 1e+300: squares overflow; rescale it\n")
        done = self.solve(*self.write_two_nodes((1, 1), (1, 1e-200)), expect=3)
        self.assertIn("node '1': feature x1 is at most 1e-200 in magnitude: squares underflow", done.stderr)
        self.assertFalse((self.folder / "out").exists())

    def test_standardised_features_may_have_any_magnitude(self):
        self.write("data.csv", "node,y,x1\n0,1,1e300\n0,2,2e300\n1,2,-3e300\n1,5,7e300\n")
        self.write("edges.csv", "source,target\n0,1\n")
        self.solve("--data", "data.csv", "--edges", "edges.csv", "--lambda", 0.1, "--standardize", "--out", "out")
        large = self.rows("out/parameters.csv")
        self.write("data.csv", "node,y,x1\n0,1,1\n0,2,2\n1,2,-3\n1,5,7\n")
        self.solve("--data", "data.csv", "--edges", "edges.csv", "--lambda", 0.1, "--standardize", "--out", "out", "--force")
        for a, b in zip(large, self.rows("out/parameters.csv")):
            self.assertAlmostEqual(float(a["x1"]), float(b["x1"]), places=6)

    def test_the_sparse_graphical_model_ends(self):
        self.write("data.csv", "node,x\n3,1\n3,0\n")
        self.write("edges.csv", "source,target\n")
        self.gtvmin("solve", "--data", "data.csv", "--edges", "edges.csv", "--lambda", 1, "--model", "graphical",
                    "--sparsity", 0.1, "--out", "out", "--max-iterations", 1000, expect=None)

    def test_a_prediction_that_is_not_finite_is_refused(self):
        self.write("data.csv", "node,y,x1\n0,3,1\n0,9,2\n1,4,1\n")
        self.write("edges.csv", "source,target\n0,1\n")
        self.solve("--data", "data.csv", "--edges", "edges.csv", "--lambda", 0.1, "--model", "poisson", "--out", "out",
                   expect=None)
        self.write("new.csv", "node,x1\n0,1\n1,1e6\n")
        done = self.gtvmin("predict", "out", "--data", "new.csv", expect=3)
        self.assertIn("node '1': a prediction is inf, not a finite number", done.stderr)
        self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main()
