"""Progress and interruption of gtvmin solve."""

import os
import pty
import signal
import subprocess

from app import GTVMIN, AppTest


class Progress(AppTest):
    def start(self, *arguments, **options):
        process = subprocess.Popen([GTVMIN, "solve", *arguments], cwd=self.folder, **options)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def test_in_a_pipe_it_is_plain_lines(self):
        process = self.start(*self.write_long_problem(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = process.stderr.readline()
        self.assertRegex(line, r"^iteration \d+, \S+ it/s, objective \S+, certificate \S+, .* elapsed, .* left\n$")
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 4)
        self.assertNotIn("\r", line + errors)
        self.assertNotIn("\x1b", line + errors)
        self.assertIn("interrupted", output)

    def test_on_a_terminal_it_is_a_bar_that_rewrites_itself(self):
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        process = self.start(*self.write_long_problem(), stdout=subprocess.DEVNULL, stderr=theirs)
        os.close(theirs)
        shown = b""
        while shown.count(b"\r") < 3:
            shown += os.read(ours, 4096)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)
        self.assertIn(b"\r[", shown)
        self.assertIn(b"] iteration ", shown)
        self.assertNotIn(b"\n", shown)

    def test_it_can_be_switched_off(self):
        done = self.solve(*self.write_long_problem(), "--time-limit", "1.5", "--no-progress", expect=4)
        self.assertEqual(done.stderr, "")
        done = self.solve(*self.write_long_problem(), "--time-limit", "1.5", "--force", expect=4)
        self.assertIn("iteration", done.stderr)

    def test_an_interrupt_writes_what_there_is(self):
        for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]:
            with self.subTest(number):
                process = self.start(*self.write_long_problem(), "--json", "--force", stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE)
                process.stderr.readline()  # the solver is running
                process.send_signal(number)
                output, _ = process.communicate(timeout=60)
                self.assertEqual(process.returncode, 4)
                self.assertEqual(self.summary()["status"], "interrupted")
                self.assertEqual(output, self.read("out/summary.json"))
                self.assertEqual(len(self.rows("out/parameters.csv")), 400)

    def test_the_second_interrupt_ends_the_process_at_once(self):
        process = self.start(*self.write_long_problem(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        process.stderr.readline()
        # Both signals are waiting when the process goes on, so that it cannot end in between.
        process.send_signal(signal.SIGSTOP)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGCONT)
        self.assertEqual(process.wait(timeout=60), 130)
        self.assertFalse((self.folder / "out").exists())
        process.stderr.close()
