"""gtvmin agent: sites as real processes that find the bits of one process, whatever happens to them."""

import json
import random
import signal
import time
import unittest

from agents import SITES, AgentTest, Proxy, free_ports

LONG = ("--tol", 0, "--max-iterations", 6000)
LONG_RUN = "tol = 0\nmax-iterations = 6000\n"


class Agents(AgentTest):
    def test_seven_sites_find_the_bits_of_one_process(self):
        self.make_federation()
        expected = self.reference()
        agents = {site: self.start(site) for site in SITES}
        self.wait_all(agents)
        self.assert_same_bits(expected)
        alone = self.summary("reference")
        for site in SITES:
            told = self.summary(f"out-{site}")
            for name in ("status", "objective", "loss", "gtv", "iterations"):
                self.assertEqual(told[name], alone[name], f"{site} {name}")
            self.assertEqual(told["certificate"]["value"], alone["certificate"]["value"])
            self.assertEqual((told["site"], told["nodes"], told["federation"]["sites"]), (site, 6, 7))
            for neighbour in told["neighbours"]:
                self.assertGreater(neighbour["bytes_sent"], 0)
            # Before it joins, a site says how far others can move its nodes: as far as the whole problem knows it.
            bounds = [row["influence"] for row in self.rows("reference/nodes.csv") if row["node"].startswith(f"{site}n")]
            self.assertEqual(len(bounds), 6)
            finite = [float(bound) for bound in bounds if bound]
            if finite:
                self.assertIn(f"neighbours can move {len(finite)} of 6 nodes by at most {max(finite):.4g} in l2", self.log(site))
            if len(finite) < 6:
                self.assertIn(f"no bound on the influence of neighbours for {6 - len(finite)} of 6 nodes", self.log(site))


class Interruptions(AgentTest):
    def checkpoints(self, site):
        return "--checkpoint", f"checkpoint-{site}", "--checkpoint-every", 50

    def test_sites_killed_at_any_moment_come_back_and_find_the_same_bits(self):
        longer = 20000  # iterations; a kill takes about 100
        self.make_federation(f"tol = 0\nmax-iterations = {longer}\n")
        expected = self.reference("--tol", 0, "--max-iterations", longer, expect=4)
        agents = {site: self.start(site, *self.checkpoints(site)) for site in SITES}
        kills = self.kill_at_random(agents, lambda site: self.start(site, *self.checkpoints(site)), most=30, seed=3)
        self.wait_all(agents, expect=4)
        self.assert_same_bits(expected)
        self.assertEqual(kills, 30, "the run was too short")

    def proxies(self):
        """Everybody dials through them; sites listen behind."""
        outside = free_ports(len(SITES))
        addresses = {site: f"127.0.0.1:{port}" for site, port in zip(SITES[:-1], outside)}
        return outside, addresses

    def test_cut_connections_and_a_partition_change_nothing(self):
        outside, addresses = self.proxies()
        self.make_federation(LONG_RUN, addresses=addresses)
        expected = self.reference(*LONG, expect=4)
        proxies = [Proxy(port, inside) for port, inside in zip(outside[:-1], self.ports)]
        for proxy in proxies:
            self.addCleanup(proxy.close)
        listen = {site: ("--listen", f"127.0.0.1:{port}") for site, port in zip(SITES[:-1], self.ports)}
        agents = {site: self.start(site, *listen.get(site, ())) for site in SITES}
        draw = random.Random(4)
        for _ in range(15):
            time.sleep(draw.uniform(0.02, 0.1))
            draw.choice(proxies).cut()
        self.assertTrue(any(process.poll() is None for process in agents.values()), "the run was too short")
        for proxy in proxies[:3]:
            proxy.open = False
        time.sleep(20)
        self.assertTrue(all(process.poll() is None for process in agents.values()), "nobody goes on alone")
        for proxy in proxies[:3]:
            proxy.open = True
        self.wait_all(agents, expect=4)
        self.assert_same_bits(expected)
        logs = "".join(self.log(site) for site in SITES)
        self.assertIn("nothing received for 10 s", logs)
        self.assertIn("waiting for", logs)
        again = sum(link["retransmissions"] for site in SITES for link in self.summary(f"out-{site}")["neighbours"])
        self.assertGreater(again, 0)

    def test_a_site_that_is_told_to_end_saves_and_goes_on_later(self):
        self.make_federation(LONG_RUN)
        expected = self.reference(*LONG, expect=4)
        agents = {site: self.start(site, *self.checkpoints(site)) for site in SITES}
        self.wait_for_log("s0", "s6: connected")
        time.sleep(0.5)
        agents["s2"].send_signal(signal.SIGTERM)
        self.assertEqual(agents["s2"].wait(30), 5)
        self.assertIn("the same command resumes from the last checkpoint", self.log("s2"))
        agents["s2"] = self.start("s2", *self.checkpoints("s2"))
        self.wait_all(agents, expect=4)
        self.assert_same_bits(expected)

    def go_on_without_a_site(self, policy):
        """s4 goes down in the middle of the run, for good."""
        self.make_federation(LONG_RUN)
        arguments = ("--policy", policy, "--patience", 10)
        agents = {site: self.start(site, *arguments) for site in SITES}
        for site in ("s3", "s5"):
            self.wait_for_log(site, "s4: connected")
        lost = agents.pop("s4")
        lost.send_signal(signal.SIGKILL)
        lost.wait()
        self.wait_all(agents, expect=4)
        for site in agents:
            told = self.summary(f"out-{site}")
            self.assertEqual((told["status"], told["policy"]), ("inexact", policy), site)
        for site in ("s3", "s5"):
            told = self.summary(f"out-{site}")
            absent = [link["site"] for link in told["neighbours"] if "absent_since_iteration" in link]
            self.assertIn("s4", absent)
            self.assertRegex(self.log(site), r"s4: it was absent for too long: since iteration \d+")

    def test_freeze_goes_on_with_the_last_parameters_of_a_site(self):
        self.go_on_without_a_site("freeze")

    def test_drop_goes_on_without_the_edges_to_a_site(self):
        self.go_on_without_a_site("drop")
        for name in ("all.csv", "edges.csv"):
            lines = self.read(name).decode().splitlines(keepends=True)
            self.write(f"rest-{name}", "".join(line for line in lines if "s4n" not in line))
        self.solve("--data", "rest-all.csv", "--edges", "rest-edges.csv", "--lambda", 0.05, "--tol", 1e-10, "--out", "rest")
        expected = {row["node"]: row for row in self.rows("rest/parameters.csv")}
        for site in SITES:
            for row in self.rows(f"out-{site}/parameters.csv") if site != "s4" else []:
                for name in ("x1", "x2", "x3"):
                    self.assertAlmostEqual(float(row[name]), float(expected[row["node"]][name]), 4, row["node"])


class Status(AgentTest):
    def test_says_who_waits_for_whom(self):
        self.make_federation(LONG_RUN)
        self.start("s0")
        self.start("s1")
        self.wait_for_log("s0", "s1: connected")
        arguments = ["federation", "status", "--federation", "federation.toml", "--site", "s0", *self.credentials("s3")]
        told = json.loads(self.gtvmin(*arguments, "--json").stdout)
        self.assertEqual((told["site"], told["state"]), ("s0", "running"))
        links = {link["site"]: link for link in told["neighbours"]}
        self.assertEqual((links["s1"]["connected"], links["s3"]["connected"]), (True, False))
        self.assertTrue(any(link["waiting"] for link in told["neighbours"]))
        text = self.gtvmin(*arguments).stdout
        self.assertIn("Site s0 of federation trial: running, iteration 0", text)
        self.assertIn("waiting for it since", text)
        self.assertIn("s6: it only dials", self.gtvmin(
            "federation", "status", "--federation", "federation.toml", "--site", "s6", *self.credentials("s3"),
            expect=2).stderr.replace(" has no address:", ":"))


class Refusals(AgentTest):
    def test_data_of_other_sites_is_refused(self):
        self.make_federation(certificates=False)
        error = self.gtvmin("agent", "federation.toml", "--site", "s0", "--data", "s1.csv", "--out", "out",
                            "--insecure-loopback", expect=3).stderr
        self.assertIn("s1.csv: node 's1n0' belongs to site s1, not to s0", error)

    def test_plain_text_stays_on_this_machine(self):
        self.make_federation(certificates=False, addresses={"s1": "192.0.2.1:7443"})
        error = self.gtvmin("agent", "federation.toml", "--site", "s0", "--data", "s0.csv", "--out", "out",
                            "--insecure-loopback", expect=2).stderr
        self.assertIn("192.0.2.1:7443: without certificates only loopback addresses are allowed", error)

    def test_credentials_of_another_site_are_noticed_at_once(self):
        self.make_federation()
        error = self.gtvmin("agent", "federation.toml", "--site", "s0", "--data", "s0.csv", "--out", "out",
                            *self.credentials("s1"), expect=3).stderr
        self.assertIn("keys/s1.crt", error)

    def test_plain_text_on_loopback_gives_the_same_bits(self):
        self.make_federation(certificates=False)
        expected = self.reference()
        agents = {site: self.start(site, credentials=["--insecure-loopback"]) for site in SITES}
        self.wait_all(agents)
        self.assert_same_bits(expected)


if __name__ == "__main__":
    unittest.main()
