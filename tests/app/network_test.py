"""Sites with an address each: network namespaces that a bridge joins, as machines at a switch. Needs root."""

import json
import os
import shutil
import subprocess
import time
import unittest

from agents import SITES, AgentTest
from app import GTVMIN

PORT = 7443
DIALS_ONLY = SITES[-1]
LONG = ("--tol", 0, "--max-iterations", 4000)
LONG_RUN = "tol = 0\nmax-iterations = 4000\n"


class Network:
    """One namespace per site with the address 10.77.0.x, and one with the switch; nothing of this machine's own network is
    touched."""

    def __init__(self):
        self.switch = f"gtvmin-{os.getpid()}-switch"
        self.spaces = {site: f"gtvmin-{os.getpid()}-{site}" for site in SITES}
        self.addresses = {site: f"10.77.0.{k + 1}" for k, site in enumerate(SITES)}

    @staticmethod
    def ip(*arguments):
        done = subprocess.run(["ip", *arguments], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise OSError(f"ip {' '.join(arguments)}: {done.stderr.strip()}")

    def open(self):
        self.ip("netns", "add", self.switch)
        self.ip("-n", self.switch, "link", "add", "bridge", "type", "bridge")
        self.ip("-n", self.switch, "link", "set", "bridge", "up")
        for site, space in self.spaces.items():
            self.ip("netns", "add", space)
            self.ip("link", "add", "eth0", "netns", space, "type", "veth", "peer", "name", site, "netns", self.switch)
            self.ip("-n", self.switch, "link", "set", site, "master", "bridge")
            self.ip("-n", self.switch, "link", "set", site, "up")
            self.ip("-n", space, "link", "set", "lo", "up")
            self.ip("-n", space, "link", "set", "eth0", "up")
            self.ip("-n", space, "address", "add", f"{self.addresses[site]}/24", "dev", "eth0")

    def close(self):
        for space in [self.switch, *self.spaces.values()]:
            subprocess.run(["ip", "netns", "delete", space], capture_output=True, check=False)

    def inside(self, site):
        """What a command has to start with to run at a site."""
        return ["ip", "netns", "exec", self.spaces[site]]

    def plug(self, site, state):
        """The cable between the site and the switch; the site itself does not notice."""
        self.ip("-n", self.switch, "link", "set", site, state)


class SitesWithAddresses(AgentTest):
    def setUp(self):
        super().setUp()
        if shutil.which("ip") is None:
            self.skipTest("there is no ip; it is in the package iproute2")
        self.network = Network()
        self.addCleanup(self.network.close)
        try:
            self.network.open()
        except OSError as error:
            self.skipTest(f"network namespaces are not permitted here: {error}")

    def command(self, site):
        return [*self.network.inside(site), GTVMIN]

    def at(self, site, *arguments, expect=0):
        """Runs gtvmin at a site."""
        done = subprocess.run([*self.command(site), *map(str, arguments)], cwd=self.folder, capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done

    def status(self, asker, asked):
        return json.loads(self.at(asker, "federation", "status", "--federation", "federation.toml", "--site", asked,
                                  *self.credentials(asker), "--json").stdout)

    def wait_for_iteration(self, least):
        end = time.monotonic() + 60
        while self.status("s3", "s0")["iteration"] < least:
            self.assertLess(time.monotonic(), end, self.log("s0"))

    def make_network_federation(self, *arguments, **options):
        public = {site: f"{address}:{PORT}" for site, address in self.network.addresses.items() if site != DIALS_ONLY}
        self.make_federation(*arguments, addresses=public, **options)

    def listening(self, site):
        """Local ends of the sockets that wait for callers at a site."""
        lines = []
        for table in ("tcp", "tcp6"):
            lines += subprocess.run([*self.network.inside(site), "cat", f"/proc/net/{table}"], capture_output=True,
                                    text=True, check=True).stdout.splitlines()[1:]
        return [line.split()[1] for line in lines if line.split()[3] == "0A"]

    def test_a_partition_of_20_seconds_changes_nothing(self):
        self.make_network_federation(LONG_RUN)
        expected = self.reference(*LONG, expect=4)
        agents = {site: self.start(site) for site in SITES}
        for site in ("s0", "s5"):
            self.wait_for_log(site, f"{DIALS_ONLY}: connected (called)")
        self.assertEqual([self.listening(DIALS_ONLY), len(self.listening("s0"))], [[], 1])
        self.wait_for_iteration(500)

        self.network.plug("s4", "down")
        cut = time.monotonic()
        time.sleep(12)  # all have done what they can without s4, and have given up the connections to it
        before = self.status("s3", "s0")["iteration"]
        waits = {link["site"]: link["waiting"] for link in self.status("s0", "s3")["neighbours"]}
        time.sleep(max(0, cut + 20 - time.monotonic()))
        self.assertEqual(self.status("s3", "s0")["iteration"], before, "nobody goes on alone")
        self.assertTrue(waits["s4"], "who waits says for whom")
        self.assertTrue(all(process.poll() is None for process in agents.values()))
        self.network.plug("s4", "up")

        self.wait_all(agents, expect=4)
        self.assert_same_bits(expected)
        self.assertIn("nothing received for 10 s", self.log("s3") + self.log("s5"))
        self.assertIn("waiting for s4", self.log("s3") + self.log("s5"))
        connections = {link["site"]: link["connections"] for link in self.summary("out-s3")["neighbours"]}
        self.assertGreater(connections["s4"], 1, "the connection was made anew")

    def test_plain_text_does_not_leave_the_machine(self):
        self.make_network_federation(certificates=False)
        site = ("agent", "federation.toml", "--site", "s0", "--data", "s0.csv", "--out", "out", "--insecure-loopback")
        self.assertIn("without certificates only loopback addresses are allowed", self.at("s0", *site, expect=2).stderr)
        (self.folder / "federation.toml").unlink()
        self.make_federation(certificates=False)
        listen = ("--listen", f"{self.network.addresses['s0']}:{PORT}")
        self.assertIn(f"10.77.0.1:{PORT}: without certificates only loopback addresses are allowed",
                      self.at("s0", *site, *listen, expect=2).stderr)
        self.assertEqual(self.listening("s0"), [])


if __name__ == "__main__":
    unittest.main()
