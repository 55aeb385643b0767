"""gtvmin agent with noise: what is spent is counted, the same release is the same bytes, and no budget is stretched."""

import json
import math
import shutil
import time
import unittest

from agents import SITES, AgentTest, truth_of

ITERATIONS = 40
BOUNDARY = {site: 3 if site in ("s0", "s3") else 2 for site in SITES}  # both ends of the ring, and of the chord
SOLVE = f'method = "algorithm1"\nmax-iterations = {ITERATIONS}\n'
EPSILON, DELTA = 8, 1e-6


def spent(noise, vectors):
    """ε by the formula of docs/privacy.md, over a finer grid of α than the command has."""
    def at(alpha):
        return 2 * vectors * alpha / noise**2 + math.log((alpha - 1) / alpha) - math.log(DELTA * alpha) / (alpha - 1)
    return min(at(1 + 10**(k / 1000)) for k in range(-2000, 6000))


def error(rows):
    """Root of the mean square of ‖w − truth‖ over nodes."""
    squares = [sum((float(row[name]) - truth) ** 2 for name, truth in zip(("x1", "x2", "x3"), truth_of(node)))
               for node, row in rows.items()]
    return math.sqrt(sum(squares) / len(squares))


class PrivacyTest(AgentTest):
    def make_federation(self, solve=SOLVE, **options):
        (self.folder / "federation.toml").unlink(missing_ok=True)
        super().make_federation(solve, **{"certificates": False, "sums": False, **options})

    def private(self, site, epsilon=EPSILON, clip=3):
        return ["--privacy-epsilon", epsilon, "--privacy-delta", DELTA, "--privacy-clip", clip, "--privacy-ledger",
                f"ledger-{site}"]

    def begin(self, site, *arguments, noise=True):
        return self.start(site, *(self.private(site) if noise else ()), *arguments, credentials=["--insecure-loopback"])

    def begin_all(self, *arguments, **options):
        return {site: self.begin(site, *arguments, **options) for site in SITES}

    def checkpoint(self, site):
        return "--checkpoint", f"checkpoint-{site}"

    def wait_until_entered(self, site):
        """Until the run is in the ledger and its first checkpoint is there."""
        end = time.monotonic() + 60
        while not (self.folder / f"checkpoint-{site}" / "checkpoint").exists():
            self.assertLess(time.monotonic(), end, self.log(site))
            time.sleep(0.05)

    def parameters(self):
        return {row["node"]: row for site in SITES for row in self.rows(f"out-{site}/parameters.csv")}

    def refused(self, site, *arguments, expect=3, **options):
        """What it says: it ends at once, has not connected, and has written nothing."""
        before = self.read(f"ledger-{site}") if (self.folder / f"ledger-{site}").exists() else None
        said = self.gtvmin("agent", "federation.toml", "--site", site, "--data", f"{site}.csv", "--out", f"out-{site}",
                           "--insecure-loopback", *self.private(site, **options), *arguments, expect=expect).stderr
        self.assertNotIn(f" {site}: ", said, "no line of a running agent")
        self.assertFalse((self.folder / f"out-{site}").exists())
        if before is not None:
            self.assertEqual(self.read(f"ledger-{site}"), before)
        return said


class WithoutSums(PrivacyTest):
    def test_sites_find_the_bits_of_one_process_and_claim_nothing(self):
        self.make_federation()
        expected = self.reference("--method", "algorithm1", "--max-iterations", ITERATIONS, expect=4)
        self.wait_all(self.begin_all(noise=False), expect=4)
        self.assert_same_bits(expected)
        for site in SITES:
            told = self.summary(f"out-{site}")
            self.assertEqual((told["status"], told["iterations"]), ("completed", ITERATIONS))
            self.assertEqual(told["certificate"], {"kind": "none-without-sums"})
            self.assertFalse(told["federation"]["sums"])
            self.assertNotIn("privacy", told)
            self.assertTrue(all(row["relative"] == "inf" for row in self.rows(f"out-{site}/trace.csv")))
            for link in told["neighbours"]:
                self.assertEqual(link["messages_received"], ITERATIONS, "sites send parameters only")
        self.assertAlmostEqual(sum(self.summary(f"out-{site}")["loss"] for site in SITES),
                               self.summary("reference")["loss"])

    def test_nobody_is_told_the_objective_of_a_site(self):
        self.make_federation()
        self.begin("s0")
        self.begin("s1")
        self.wait_for_log("s0", "s1: connected")
        status = ["federation", "status", "--federation", "federation.toml", "--site", "s0", "--insecure-loopback"]
        told = json.loads(self.gtvmin(*status, "--json").stdout)
        self.assertEqual((told["state"], told["objective"], told["relative_gap"]), ("running", None, None))
        self.assertIn("objective unknown, because sites send no sums", self.gtvmin(*status).stdout)

    def test_what_would_need_sums_is_refused_by_name(self):
        for solve, message in [
                ("", "topology.toml: [solve]: 'method' must be algorithm1 with sums = false"),
                (SOLVE + "tol = 1e-3\n", "'tol' must be 0 with sums = false"),
                (SOLVE + "min-decrease = 1e-3\n", "'min-decrease' must be 0 with sums = false")]:
            with self.subTest(solve):
                self.make_federation()
                self.write("topology.toml", self.read("topology.toml").decode().replace(SOLVE, solve))
                error = self.gtvmin("federation", "init", "topology.toml", "--out", "f.toml", expect=3).stderr
                self.assertIn(message, error)


class Noise(PrivacyTest):
    def test_what_is_spent_is_what_the_accountant_says_and_then_the_budget_is_gone(self):
        self.make_federation()
        exact = self.reference("--method", "algorithm1", "--max-iterations", ITERATIONS, expect=4)
        self.wait_all(self.begin_all(), expect=4)
        for site in SITES:
            told = self.summary(f"out-{site}")["privacy"]
            vectors = ITERATIONS * BOUNDARY[site]
            self.assertEqual((told["epsilon"], told["delta"], told["clip"], told["releases"], told["ledger"]),
                             (EPSILON, DELTA, 3, vectors, f"ledger-{site}"))
            self.assertLessEqual(told["spent_epsilon"], EPSILON)
            self.assertGreater(told["spent_epsilon"], 0.99 * EPSILON, "the least noise that the budget allows")
            self.assertAlmostEqual(told["spent_epsilon"], spent(told["noise"], vectors), 2)
            self.assertIn(f"noise {told['noise']:g} on parameters of norm at most 3, in {vectors} vectors",
                          self.log(site))
            self.assertEqual((self.folder / f"ledger-{site}").stat().st_mode & 0o777, 0o600)
        noisy = self.parameters()
        self.assertTrue(all(row["x1"] != exact[node]["x1"] for node, row in noisy.items()))

        shutil.rmtree(self.folder / "out-s0")
        self.assertRegex(self.refused("s0"), r"ledger-s0: the privacy budget is exhausted: epsilon 7\.9\d* of 8 at delta "
                                             r"1e-06 is spent, by 120 vectors; nothing was sent")

    def test_what_noise_costs_stays_bounded_however_large_it_is(self):
        self.make_federation()
        exact = self.reference("--method", "algorithm1", "--max-iterations", ITERATIONS, expect=4)
        self.solve("--data", "all.csv", "--edges", "edges.csv", "--lambda", 0, "--out", "alone")
        self.wait_all(self.begin_all(), expect=4)
        errors = {"without noise": error(exact), "with noise": error(self.parameters()),
                  "each node alone": error({row["node"]: row for row in self.rows("alone/parameters.csv")})}
        deviation = 3 * self.summary("out-s0")["privacy"]["noise"]
        print(f"noise of deviation {deviation:.3g} on every number; distance to the truth:",
              ", ".join(f"{name} {value:.2f}" for name, value in errors.items()))
        self.assertLess(errors["with noise"], errors["each node alone"])
        self.assertLess(errors["without noise"], errors["with noise"])

    def test_a_site_that_was_killed_sends_the_same_bytes_again_and_pays_once(self):
        self.make_federation(SOLVE.replace(str(ITERATIONS), "800"))
        for site in SITES:  # alone, each enters its run and waits
            process = self.begin(site, *self.checkpoint(site))
            self.wait_until_entered(site)
            process.kill()
            process.wait()
            for name in (f"ledger-{site}", f"checkpoint-{site}"):
                (shutil.copytree if name[0] == "c" else shutil.copy2)(self.folder / name, self.folder / f"start-{name}")

        self.wait_all({site: self.begin(site, *self.checkpoint(site)) for site in SITES}, seconds=300, expect=4)
        undisturbed = self.parameters()
        for site in SITES:
            self.assertEqual(self.read(f"ledger-{site}"), self.read(f"start-ledger-{site}"), "it was paid at the start")
            shutil.rmtree(self.folder / f"checkpoint-{site}")
            shutil.copytree(self.folder / f"start-checkpoint-{site}", self.folder / f"checkpoint-{site}")

        agents = {site: self.begin(site, *self.checkpoint(site), "--force") for site in SITES}
        kills = self.kill_at_random(agents, lambda site: self.begin(site, *self.checkpoint(site)), most=10, seed=5)
        self.wait_all(agents, seconds=300, expect=4)
        self.assertGreaterEqual(kills, 5, "the run was too short")
        self.assertEqual(self.parameters(), undisturbed)
        for site in SITES:
            self.assertEqual(self.read(f"ledger-{site}"), self.read(f"start-ledger-{site}"))

    def test_a_new_start_has_new_noise_and_pays_again(self):
        self.make_federation()
        results = []
        for run in (1, 2):
            self.wait_all(self.begin_all("--privacy-noise", 200, "--force"), expect=4)
            results.append(self.parameters())
            told = self.summary("out-s0")["privacy"]
            self.assertEqual((told["noise"], told["releases"]), (200, 120))
            self.assertAlmostEqual(told["spent_epsilon"], spent(200, run * 120), 2)
        self.assertTrue(all(row["x1"] != results[1][node]["x1"] for node, row in results[0].items()))


class Refusals(PrivacyTest):
    def test_too_little_noise_is_refused_with_what_would_do(self):
        self.make_federation()
        error = self.refused("s0", "--privacy-noise", 10)
        self.assertRegex(error, r"ledger-s0: with --privacy-noise 10 the privacy budget allows 17 iterations, not 40, of "
                                r"3 vectors each; epsilon 0 of 8 at delta 1e-06 is spent so far\. 40 iterations need "
                                r"--privacy-noise 15\.\d+$")
        self.assertFalse((self.folder / "ledger-s0").exists())

    def test_noise_needs_all_its_options_and_a_federation_without_sums(self):
        self.make_federation()
        base = ["agent", "federation.toml", "--site", "s0", "--data", "s0.csv", "--out", "out", "--insecure-loopback"]
        self.assertIn("noise also needs --privacy-delta, --privacy-ledger",
                      self.gtvmin(*base, "--privacy-epsilon", 1, "--privacy-clip", 1, expect=2).stderr)
        self.make_federation(solve="", sums=True)
        self.assertIn("the sites of trial send exact sums of losses and gradients, which no noise covers",
                      self.refused("s0", expect=2))

    def test_a_ledger_that_is_damaged_or_of_another_budget_is_refused(self):
        self.make_federation()
        self.begin("s0", *self.checkpoint("s0"))
        self.wait_until_entered("s0")
        self.assertIn("another agent uses this privacy ledger", self.refused("s0", expect=5))
        self.end_all()
        self.assertIn("has the budget epsilon 8 at delta 1e-06, not 9 at 1e-06", self.refused("s0", epsilon=9))
        self.assertIn("the run to resume has --privacy-clip 3 and --privacy-noise",
                      self.refused("s0", *self.checkpoint("s0"), clip=4, expect=2))
        ledger = self.folder / "ledger-s0"
        whole = ledger.read_bytes()
        ledger.unlink()
        self.assertRegex(self.refused("s0", *self.checkpoint("s0")),
                         "checkpoint-s0: is a checkpoint of another run(.|\\n)*noise of no run in the privacy ledger")
        ledger.write_bytes(whole.replace(b"vectors 120", b"vectors 12"))
        ledger.chmod(0o600)
        self.assertIn("ledger-s0: is damaged; the budget spent is unknown", self.refused("s0"))
        ledger.write_bytes(whole)
        ledger.chmod(0o644)
        self.assertIn("ledger-s0: accessible by others than its owner", self.refused("s0"))

    def test_a_run_with_noise_does_not_go_on_without(self):
        self.make_federation()
        self.begin("s0", *self.checkpoint("s0"))
        self.wait_until_entered("s0")
        self.end_all()
        process = self.begin("s0", *self.checkpoint("s0"), noise=False)
        self.assertEqual(process.wait(30), 3)
        self.assertIn("is a checkpoint of another run", self.log("s0"))


if __name__ == "__main__":
    unittest.main()
