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
