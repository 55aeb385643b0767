"""gtvmin agent: what becomes of a run when sites stay away, come back, or cannot."""

import json
import signal
import time
import unittest

from agents import SITES, AgentTest

LONG_RUN = "tol = 0\nmax-iterations = 6000\n"
PLAIN = ["--insecure-loopback"]
PATIENCE = 6  # seconds; longer than processes take to start on a busy machine


class Absence(AgentTest):
    def start_all_but(self, missing, *arguments):
        return {site: self.start(site, *arguments, credentials=PLAIN) for site in SITES if site not in missing}

    def assert_inexact(self, sites):
        for site in sites:
            told = self.summary(f"out-{site}")
            self.assertEqual((told["status"], told["certificate"]), ("inexact", {"kind": "none-inexact"}), site)

    def absent(self, site):
        return {link["site"] for link in self.summary(f"out-{site}")["neighbours"] if "absent_since_iteration" in link}

    def test_a_site_may_drop_one_neighbour_after_the_other(self):
        self.make_federation(LONG_RUN, certificates=False)
        agents = self.start_all_but({"s1"}, "--policy", "drop", "--patience", PATIENCE)
        self.wait_for_log("s0", "s1: it was absent for too long: since iteration 1 the edges to it are dropped")
        lost = agents.pop("s6")
        lost.kill()
        lost.wait()
        self.wait_all(agents, expect=4)
        self.assertEqual(self.absent("s0"), {"s1", "s6"})
        self.assert_inexact(agents)

    def test_every_site_knows_that_one_is_missing(self):
        self.make_federation(certificates=False)  # which is solved otherwise
        agents = self.start_all_but({"s4"}, "--policy", "freeze", "--patience", PATIENCE)
        self.wait_all(agents, expect=4)
        self.assertEqual(self.absent("s0"), set(), "it has no edge to s4")
        self.assert_inexact(agents)

    def test_without_the_root_every_part_ends(self):
        self.make_federation(certificates=False)
        agents = self.start_all_but({"s0"}, "--policy", "drop", "--patience", 2, "--linger", 4)
        self.wait_all(agents, expect=4)
        self.assert_inexact(agents)

    def test_a_neighbour_that_was_given_up_stays_so(self):
        self.make_federation("tol = 0\nmax-iterations = 1000000\n", certificates=False)
        save = ("--checkpoint", "saved", "--checkpoint-every", 20)
        self.start_all_but({"s3", "s4"}, "--policy", "drop", "--patience", PATIENCE)
        agent = self.start("s3", "--policy", "drop", "--patience", PATIENCE, *save, credentials=PLAIN)
        self.wait_for_log("s3", "s4: it was absent for too long")
        self.wait_for_a_save("saved/checkpoint", agent)
        ask = ["federation", "status", "--federation", "federation.toml", "--site", "s3", *PLAIN]
        self.assertRegex(self.gtvmin(*ask).stdout, r"s4 +given up for .*the edges to it are dropped")
        told = {link["site"]: link["abandoned"] for link in json.loads(self.gtvmin(*ask, "--json").stdout)["neighbours"]}
        self.assertRegex(told["s4"], r"since iteration \d+ the edges to it are dropped")
        self.assertEqual(told["s0"], "")
        agent.kill()
        agent.wait()
        again = ["agent", "federation.toml", "--site", "s3", "--data", "s3.csv", "--out", "out-s3", *PLAIN, *save]
        for policy in ("freeze", "wait"):
            error = self.gtvmin(*again, "--policy", policy, expect=2).stderr
            self.assertIn("gave up a neighbour under --policy drop, which is permanent", error)
        # And the one that was given up learns it from the other neighbour, once that has given it up too.
        self.wait_for_log("s5", "s4: it was absent for too long")
        self.assertEqual(self.start("s4", credentials=PLAIN).wait(60), 5, self.log("s4"))
        self.assertRegex(self.log("s4"), r"s\d has refused it permanently: it was absent for too long")

    def test_a_site_that_lost_its_checkpoint_ends_and_says_why(self):
        self.make_federation("tol = 0\nmax-iterations = 1000000\n")
        agents = {site: self.start(site) for site in SITES}
        self.wait_for_log("s0", "s6: connected")
        self.wait_for_log("s2", "s1: connected")
        time.sleep(1)
        agents["s1"].send_signal(signal.SIGKILL)
        agents["s1"].wait()
        agents["s1"] = self.start("s1")
        self.assertEqual(agents["s1"].wait(60), 5, self.log("s1"))
        self.assertRegex(self.log("s1"), r"s[02] has refused it permanently: it requests message 0, .*lost its checkpoint")
        self.assertRegex(self.log("s0") + self.log("s2"), r"s1.*lost its checkpoint")

    def test_a_finished_site_ends_again_as_it_has_ended(self):
        self.make_federation("tol = 0\nmax-iterations = 60\n", certificates=False)
        save = lambda site: ("--checkpoint", f"saved-{site}", "--linger", 1)
        agents = {site: self.start(site, *save(site), credentials=PLAIN) for site in SITES}
        self.wait_all(agents, expect=4)
        self.assertEqual(self.start("s1", *save("s1"), credentials=PLAIN).wait(60), 4)
        self.assertIn("an earlier run wrote the results", self.log("s1"))

    def test_no_neighbour_can_fill_the_memory_of_a_site(self):
        self.make_federation("tol = 0\nmax-iterations = 1000000000\n", certificates=False)
        for site in SITES:
            never_saves = ("--checkpoint", "saved", "--checkpoint-every", 1000000) if site == "s1" else ()
            self.start(site, *never_saves, "--keep", 0.02, credentials=PLAIN)
        self.wait_for_log("s0", "waiting for s1 for 5 s; it is connected but has not saved a checkpoint for too long")
        ask = ["federation", "status", "--federation", "federation.toml", "--site", "s0", *PLAIN, "--json"]
        told = {link["site"]: link for link in json.loads(self.gtvmin(*ask).stdout)["neighbours"]}["s1"]
        self.assertGreater(told["waiting_seconds"], 4)
        self.assertGreater(told["kept_messages"], 100)
        self.assertLess(told["kept_messages"], 0.02e6 / 24, "a message has a number of 8 bytes three times at least")

    def test_a_site_that_only_dials_is_waited_for_with_a_reason(self):
        self.make_federation(certificates=False)
        self.start("s5", credentials=PLAIN)
        self.start("s4", credentials=PLAIN)
        self.wait_for_log("s5", "waiting for s6 for 5 s; it has no address to dial and has not connected yet")


class Options(AgentTest):
    def refused(self, *arguments):
        return self.gtvmin("agent", "federation.toml", "--site", "s0", "--data", "s0.csv", "--out", "out", *PLAIN, *arguments,
                           expect=2).stderr

    def test_what_would_have_no_effect_is_refused(self):
        self.make_federation(certificates=False)
        self.assertIn("--checkpoint-every needs --checkpoint", self.refused("--checkpoint-every", 5))
        self.assertIn("--policy wait has no time limit", self.refused("--patience", 5))

    def test_an_address_to_listen_on_has_a_host_and_a_port(self):
        self.make_federation(certificates=False)
        for wrong in ("garbage", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:99999", "localhost:http"):
            self.assertIn(f"--listen: '{wrong}' is not an address: expected host:port", self.refused("--listen", wrong))
        self.assertIn("only loopback addresses", self.refused("--listen", "0.0.0.0:7443"))

    def test_a_name_that_only_looks_like_loopback_is_not(self):
        self.make_federation(certificates=False, addresses={"s1": "127.evil.example:7443"})
        self.assertIn("127.evil.example:7443: without certificates only loopback addresses", self.refused())


if __name__ == "__main__":
    unittest.main()
