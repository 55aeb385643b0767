"""gtvmin theory, run as a user runs it."""

import json

from app import ROOT, AppTest

SBM = ["generate", "sbm", "--dimension", "2", "--samples", "5", "--noise", "0.1", "--accessible", "0.6", "--truth", "given",
       "--truth-values", "2,2;-2,2"]


class Theory(AppTest):
    def setUp(self):
        super().setUp()
        self.gtvmin(*SBM, "--out", "sbm")
        self.files = ["--data", "sbm/data.csv", "--edges", "sbm/edges.csv"]

    def theory(self, *arguments, expect=0):
        return self.gtvmin("theory", *arguments, expect=expect)

    def analysis(self, *arguments):
        return json.loads(self.theory(*arguments, "--json").stdout)

    def clusters_at(self, value):
        self.solve(*self.files, "--lambda", value, "--out", "r", "--force")
        return self.summary("r")["clusters"]

    def test_the_sbm_of_the_paper_is_recovered_in_the_proved_interval(self):
        found = self.analysis(*self.files, "--clusters", "sbm/clusters.csv")
        low, high = found["recovery"]["above"], found["recovery"]["below"]
        self.assertAlmostEqual(low, 0.0092, places=4)
        self.assertAlmostEqual(high, 2.25, places=2)
        self.assertIsNone(found["lambda"])
        for cluster in found["clusters"]:
            self.assertEqual(cluster["boundary"], 99)
            self.assertEqual(cluster["proved_by"], "quadratic-currents")
            self.assertIsNone(cluster["definition1"]["lambda"])
            self.assertNotIn(cluster["definition1"]["sink"], cluster["definition1"]["tight_set"])
        for inside in (1.01 * low, 0.99 * high):
            self.assertEqual(self.clusters_at(inside), 2)

    def test_a_result_brings_its_problem_and_its_deviation(self):
        self.solve(*self.files, "--lambda", "0.1", "--out", "r")
        found = self.analysis("r")
        self.assertEqual(found["lambda"], 0.1)
        self.assertEqual(found["clusters_from"], "r/clusters.csv")
        for cluster in found["clusters"]:
            self.assertLess(cluster["deviation"], cluster["deviation_bound"])
            self.assertGreater(cluster["deviation"], 0.5 * cluster["deviation_bound"])
        text = self.theory("r").stdout
        self.assertIn("λ = 0.1 lies inside this interval", text)
        self.assertIn("proved: equal parameters at every optimum for λ > 0.009169", text)
        self.assertIn("Definition 1 at λ = 0.1: fails, margin t* = 0.2018", text)
        # The command line takes precedence.
        self.assertIn("λ = 3 lies outside", self.theory("r", "--lambda", "3").stdout)

    def test_the_critical_value_separates_one_cluster_from_two(self):
        component, = self.analysis(*self.files, "--critical")["critical"]
        self.assertLessEqual(component["high"], 1.001 * component["low"])
        self.assertEqual(component["nodes"], 200)
        self.assertGreaterEqual(self.clusters_at(0.999 * component["low"]), 2)
        self.assertEqual(self.clusters_at(1.001 * component["high"]), 1)

    def test_files_have_a_row_per_cluster_node_and_pair(self):
        self.theory(*self.files, "--clusters", "sbm/clusters.csv", "--lambda", "0.1", "--critical", "--out", "t")
        self.assertEqual(sorted(file.name for file in (self.folder / "t").iterdir()),
                         ["critical.csv", "theory.json", "theory_clusters.csv", "theory_nodes.csv", "theory_pairs.csv"])
        nodes, clusters = self.rows("t/theory_nodes.csv"), self.rows("t/theory_clusters.csv")
        self.assertEqual(len(nodes), 200)
        self.assertEqual([row["cluster"] for row in clusters], ["0", "1"])
        for cluster in clusters:
            of_cluster = [row for row in nodes if row["cluster"] == cluster["cluster"]]
            self.assertAlmostEqual(sum(float(row["boundary"]) for row in of_cluster), float(cluster["boundary"]))
            self.assertEqual(cluster["lambda_below"], "")
            self.assertEqual(cluster["definition1_above"], "")
        without_data = [row for row in nodes if float(row["beta"]) == 0]
        self.assertEqual(len(without_data), 80)
        self.assertTrue(all(float(row["delta"]) == 0 for row in without_data))
        self.assertEqual(len(self.rows("t/theory_pairs.csv")), 1)
        self.theory(*self.files, "--out", "t", expect=2)
        self.theory(*self.files, "--out", "t", "--force")

    def test_a_demo_directory_is_enough(self):
        self.gtvmin("demo", "sacramento", "--data", ROOT / "data" / "sacramento.csv", "--out", "d")
        found = self.analysis("d")
        self.assertEqual(found["nodes"], 932)
        self.assertGreater(sum(c["proved"] is not None and c["nodes"] > 1 for c in found["clusters"]), 5)

    def test_logistic_losses_have_an_upper_end(self):
        self.gtvmin("generate", "sbm", "--sizes", "12,12", "--p-in", "0.9", "--p-out", "0.01", "--model", "logistic",
                    "--dimension", "2", "--samples", "40", "--truth", "given", "--truth-values", "1,1;-1,1", "--out", "l")
        found = self.analysis("--data", "l/data.csv", "--edges", "l/edges.csv", "--clusters", "l/clusters.csv", "--model",
                              "logistic", "--label", "y")
        for cluster in found["clusters"]:
            self.assertIn(cluster["proved_by"], ("currents", "definition-1"))
            self.assertLess(cluster["proved"]["above"], cluster["proved"]["below"])

    def test_losses_and_penalties_are_refused_by_name(self):
        for options, words in ((["--penalty", "squared_l2"], ["--penalty squared_l2", "not a norm"]),
                               (["--loss", "absolute"], ["--model linear --loss absolute", "not differentiable"]),
                               (["--loss", "huber"], ["--model linear --loss huber", "not strongly convex"]),
                               (["--model", "mlp"], ["--model mlp", "not convex"]),
                               (["--model", "softmax"], ["--model softmax", "Hessian"])):
            error = self.theory(*self.files, *options, expect=2).stderr
            for word in words:
                with self.subTest(options=options, word=word):
                    self.assertIn(word, error)

    def test_clusters_must_name_every_node_and_no_other(self):
        lines = (self.folder / "sbm" / "clusters.csv").read_text(encoding="utf-8").splitlines()
        self.write("few.csv", "\n".join(lines[:-1]) + "\n")
        self.write("more.csv", "\n".join([*lines, "stranger,1"]) + "\n")
        missing = self.theory(*self.files, "--clusters", "few.csv", expect=3).stderr
        self.assertRegex(missing, r"few\.csv: 1 node of sbm/data\.csv is not there: ")
        unknown = self.theory(*self.files, "--clusters", "more.csv", expect=3).stderr
        self.assertIn("stranger", unknown)
        self.theory(*self.files, "--clusters", "nowhere.csv", expect=3)

    def test_missing_input_is_asked_for(self):
        error = self.theory(expect=2).stderr
        self.assertIn("--data is required", error)
        self.assertIn("--edges is required", error)
        self.theory("nowhere", expect=3)
        self.solve(*self.files, "--lambda", "0.1", "--out", "r")
        (self.folder / "sbm" / "data.csv").rename(self.folder / "moved.csv")
        self.assertIn("say where it is now by --data", self.theory("r", expect=2).stderr)
        self.theory("r", "--data", "moved.csv")
