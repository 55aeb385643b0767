"""gtvmin federation demo: seven cities as seven processes find what one process finds."""

import os
import pathlib
import signal
import subprocess
import time
import unittest

from app import GTVMIN, ROOT, AppTest

HOUSES = ROOT / "data" / "sacramento.csv"
SITES = ["sacramento", "elk-grove", "roseville", "citrus-heights", "antelope", "rancho-cordova", "elsewhere"]


class FederationDemo(AppTest):
    def test_the_cities_find_what_one_process_finds(self):
        told = self.gtvmin("federation", "demo", "--data", HOUSES, "--out", "demo").stdout
        self.assertIn("The sites' parameters are the same to the last bit.", told)
        self.assertIn("Polishing is off", told)
        self.assertEqual(told.count(" equal "), 7)
        summaries = {site: self.summary(f"demo/{site}/results") for site in SITES}
        sent = {site: sum(link["bytes_sent"] for link in told["neighbours"]) for site, told in summaries.items()}
        for site in SITES:
            self.assertRegex(told, rf"(?m)^  {site} +\d+ +\d+ +{sent[site]} +equal ")
        self.assertIn(f"They sent {sum(sent.values())} bytes", told)

        self.solve("--data", "demo/all.csv", "--edges", "demo/edges.csv", "--label", "price", "--lambda", 3.2, "--ridge",
                   0.01, "--intercept", "--tol", 1e-4, "--polish", "off", "--out", "alone")
        expected = self.rows("alone/parameters.csv")
        self.assertEqual(len(expected), 932)
        self.assertEqual([row for site in SITES for row in self.rows(f"demo/{site}/results/parameters.csv")], expected)
        alone = self.summary("alone")
        for site, told in summaries.items():
            self.assertEqual((told["objective"], told["iterations"]), (alone["objective"], alone["iterations"]), site)

        # Each site has its own samples and no others.
        samples = [line for site in SITES for line in self.read(f"demo/{site}/data.csv").splitlines()[1:]]
        self.assertEqual(samples, self.read("demo/all.csv").splitlines()[1:])
        for secret in [f"demo/{site}/site.key" for site in SITES] + ["demo/authority.key"]:
            self.assertEqual((self.folder / secret).stat().st_mode & 0o777, 0o600, secret)

    def test_an_agent_that_dies_ends_the_demo(self):
        demo = subprocess.Popen([GTVMIN, "federation", "demo", "--data", HOUSES, "--out", "demo"], cwd=self.folder,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        children = pathlib.Path(f"/proc/{demo.pid}/task/{demo.pid}/children")
        agents = []
        end = time.monotonic() + 30
        while len(agents) < 7 and time.monotonic() < end and demo.poll() is None:
            agents = [int(child) for child in children.read_text(encoding="utf-8").split()]
        os.kill(agents[4], signal.SIGKILL)
        error = demo.communicate(timeout=60)[1]
        self.assertEqual(demo.returncode, 5, error)
        self.assertIn("the agent of antelope ended with 137; see demo/antelope/log", error)
        self.assertFalse(any(pathlib.Path(f"/proc/{agent}").exists() for agent in agents), "all have ended")

    def test_says_what_is_wrong_before_it_writes_anything(self):
        def refused(data, out, code):
            error = self.gtvmin("federation", "demo", "--data", data, "--out", out, expect=code).stderr
            self.assertFalse((self.folder / "new").exists())
            return error

        self.assertIn("none.csv: cannot be read", refused("none.csv", "new", 3))
        self.assertIn("there is no column 'beds'", refused(self.write("other.csv", "node,y\na,1\n"), "new", 3))
        header = HOUSES.read_text(encoding="utf-8").splitlines(keepends=True)[0]
        self.assertIn("has sales in fewer than 7 cities", refused(self.write("empty.csv", header), "new", 3))
        self.assertIn("--out: there exists already", refused(HOUSES, self.folder_named("there"), 2))
        self.assertIn("--out: new/deep cannot be created: No such file or directory", refused(HOUSES, "new/deep", 2))

    def folder_named(self, name):
        (self.folder / name).mkdir()
        return name


if __name__ == "__main__":
    unittest.main()
