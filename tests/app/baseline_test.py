"""Other methods on the same files: `gtvmin baseline`, the real command."""

import json

from app import AppTest

FILES = ["clusters.csv", "parameters.csv", "summary.json", "trace.csv"]


class Baseline(AppTest):
    def setUp(self):
        super().setUp()
        self.gtvmin("generate", "sbm", "--sizes", "10,10", "--p-in", "0.5", "--p-out", "0.02", "--dimension", "3",
                    "--samples", "5", "--noise", "0.01", "--truth", "gaussian", "--seed", "3", "--out", "p")
        self.files = ["--data", "p/data.csv"]

    def baseline(self, name, *options, expect=0, out="out"):
        return self.gtvmin("baseline", name, *self.files, *options, "--out", out, "--force", expect=expect)

    def error(self, out="out"):
        """The paper's MSE of the learnt parameters."""
        return json.loads(self.gtvmin("evaluate", out, "--truth", "p/truth.csv", "--json").stdout)["parameters"]["mse"]

    def test_results_are_read_back_like_those_of_the_solver(self):
        self.baseline("oracle", "--clusters", "p/clusters.csv")
        self.assertEqual(sorted(path.name for path in (self.folder / "out").iterdir()), FILES)
        self.assertLess(self.error(), 1e-4)
        self.assertEqual(self.summary()["clusters"], 2)
        self.assertEqual(self.summary()["method"], "oracle")
        self.assertNotIn("certificate", self.summary())
        self.write("new.csv", "node,x1,x2,x3\n1,1,0,0\n")
        self.gtvmin("predict", "out", "--data", "new.csv", "--out", "predictions.csv")

    def test_one_model_for_all_is_worse_than_one_per_cluster(self):
        self.baseline("pooled")
        self.assertEqual(self.summary()["clusters"], 1)
        self.assertGreater(self.error(), 0.1)

    def test_a_method_refuses_what_it_has_no_use_for(self):
        self.assertIn("--lambda", self.baseline("local", "--lambda", "1", expect=2).stderr)
        self.assertIn("--clusters is required", self.baseline("oracle", expect=2).stderr)
        self.assertIn("did you mean 'pooled'", self.gtvmin("baseline", "poled", expect=2).stderr)

    def test_clusters_must_name_every_node(self):
        self.write("some.csv", "node,cluster\n1,0\n2,1\n")
        done = self.baseline("oracle", "--clusters", "some.csv", expect=3)
        self.assertIn("some.csv", done.stderr)

    def test_a_run_away_is_no_success(self):
        done = self.baseline("fedavg", "--learning-rate", "1e6", expect=4)
        self.assertIn("fedavg: diverged", done.stdout)
        self.assertIn("note: diverged", done.stdout)
        self.assertEqual(self.summary()["status"], "diverged")

    def test_options_that_would_do_nothing_are_refused(self):
        edges = ["--edges", "p/edges.csv", "--lambda", "0.1"]
        for name, options, named in [
            ("ifca", ["--models", "2", "--averaging", "gradient", "--local-epochs", "3"], "--local-epochs"),
            ("gradient", [*edges, "--optimizer", "lbfgs", "--learning-rate", "0.1"], "learning-rate"),
            ("pfedme", ["--learning-rate", "10", "--proximity", "1"], "learning-rate"),
        ]:
            with self.subTest(name):
                self.assertIn(named, self.baseline(name, *options, expect=2).stderr)

    def test_a_learned_relationship_needs_no_graph(self):
        learn = ["--relationship", "learned", "--lambda", "0.1"]
        self.baseline("mocha-cocoa", *learn)
        self.baseline("mocha-cocoa", *learn, "--edges", "p/edges.csv", out="with_edges")
        for name in ["out", "with_edges"]:
            self.assertEqual((self.folder / name / "parameters.csv").read_text(),
                             (self.folder / "out" / "parameters.csv").read_text())
        self.assertIn("--edges is required", self.baseline("mocha-cocoa", "--lambda", "0.1", expect=2).stderr)

    def test_the_certificate_of_a_method_that_has_one_is_shown_and_kept(self):
        done = self.baseline("mocha", "--edges", "p/edges.csv", "--lambda", "0.1")
        self.assertIn("certificate  certified within", done.stdout)
        self.assertNotIn("no certificate", done.stdout)
        self.assertEqual(self.summary()["certificate"]["kind"], "gap")
        self.assertIn("no certificate", self.baseline("pooled").stdout)

    def test_all_that_was_tried_is_kept_with_its_scores(self):
        self.baseline("pfedme", "--rounds", "5")
        tuning = self.summary()["tuning"]
        self.assertEqual(len(tuning["tried"]), 14)
        for row in tuning["tried"]:
            self.assertEqual(list(row), ["learning-rate", "proximity", "score", "chosen"])
        self.assertEqual(sum(row["chosen"] for row in tuning["tried"]), 1)
