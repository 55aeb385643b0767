"""Awkward data for every model, one file per node, private parameters, and predictions; the real command."""

import math

from app import AppTest

NO_EDGES = "source,target\n"


class AwkwardData(AppTest):
    def rows_of(self, text, edges=NO_EDGES):
        self.write("data.csv", text)
        self.write("edges.csv", edges)
        return ["--data", "data.csv", "--edges", "edges.csv", "--lambda", "0.1", "--out", "out", "--force"]

    def test_separable_classes_at_a_lonely_node_are_cut_off_and_named(self):
        for model in ("logistic", "softmax"):
            with self.subTest(model=model):
                rows = self.rows_of("node,y,x\na,0,-1\na,1,1\n")
                self.gtvmin("solve", *rows, "--model", model, "--max-iterations", "2000", expect=None)
                self.assertTrue(any("no minimiser" in w for w in self.summary()["warnings"]), self.summary()["warnings"])
                self.solve(*rows, "--model", model, "--ridge", "0.1", expect=0 if model == "logistic" else 4)
                self.assertEqual(self.summary()["warnings"], [])

    def test_counts_that_are_all_zero_have_no_rate_at_a_lonely_node(self):
        rows = self.rows_of("node,y,x\na,0,1\na,0,2\n")
        self.gtvmin("solve", *rows, "--model", "poisson", expect=None)
        self.assertTrue(any("no minimiser" in w for w in self.summary()["warnings"]))

    def test_labels_outside_the_domain_are_named_by_line(self):
        rows = self.rows_of("node,y,x\na,1,1\na,-2,2\na,0.5,2\n")
        done = self.gtvmin("solve", *rows, "--model", "poisson", expect=3)
        self.assertIn('data.csv:3: column "y": label "-2" is not a count', done.stderr)
        self.assertIn('data.csv:4: column "y": label "0.5" is not a count', done.stderr)

    def test_a_classifier_needs_two_classes(self):
        done = self.gtvmin("solve", *self.rows_of("node,y,x\na,up,1\nb,up,2\n"), "--model", "softmax", expect=3)
        self.assertIn("data.csv: the labels name 1 class; a classifier needs at least two", done.stderr)

    def test_a_node_that_lacks_a_class_still_has_parameters_for_it(self):
        rows = self.rows_of("node,y,x\na,up,1\na,down,2\nb,left,3\n", "source,target\na,b\n")
        self.solve(*rows, "--model", "softmax", "--ridge", "0.01", expect=4)
        self.assertEqual((self.summary()["status"], self.summary()["certificate"]["kind"]),
                         ("estimated", "none-unknown-loss"))
        self.assertEqual(list(self.rows("out/parameters.csv")[0]), ["node", "down:x", "left:x", "up:x"])

    def test_a_constant_feature_beside_an_intercept_leaves_the_bound_open(self):
        rows = self.rows_of("node,y,x,one\na,1,1,1\na,0,2,1\na,1,3,1\nb,0,1,1\nb,1,2,1\nb,0,2,1\n", "source,target\na,b\n")
        for options in (["--loss", "absolute"], ["--loss", "huber"], ["--model", "logistic"], ["--model", "softmax"],
                        ["--model", "poisson"]):
            with self.subTest(options=options):
                self.solve(*rows, *options, "--intercept", "--max-iterations", "2000", expect=4)
                certificate = self.summary()["certificate"]
                kind = "none-unknown-loss" if "softmax" in options else "none-collinear"
                self.assertEqual(certificate["kind"], kind)
                self.assertLess(certificate["relative"], 1e-6)

    def test_a_precision_matrix_needs_more_samples_than_features_or_a_ridge(self):
        rows = self.rows_of("node,x,z\na,1,2\na,2,1\n")
        done = self.gtvmin("solve", *rows, "--model", "graphical", "--max-iterations", "200", expect=None)
        self.assertTrue(any("no minimiser" in w for w in self.summary()["warnings"]), done.stdout)
        self.solve(*rows, "--model", "graphical", "--ridge", "0.1", expect=4)
        self.assertEqual(self.summary()["status"], "estimated")

    def test_options_of_another_model_are_refused(self):
        rows = self.rows_of("node,y,x\na,1,1\n")
        for options, message in ((["--model", "logistic", "--loss", "huber"], "--loss needs --model linear"),
                                 (["--sparsity", "1"], "--sparsity needs --model graphical"),
                                 (["--couple", "x9*"], "no parameter matches 'x9*'; there are x"),
                                 (["--loss", "absolute", "--intercept", "--couple", "x"], "cannot keep some of its parameters")):
            with self.subTest(options=options):
                self.assertIn(message, self.gtvmin("solve", *rows, *options, expect=2).stderr)

    def test_a_time_that_stands_twice_and_a_series_that_is_too_short_are_refused(self):
        rows = self.rows_of("node,time,value\na,1,1\na,1,2\na,2,3\n")
        self.assertIn("node 'a': time 1 stands twice", self.solve(*rows, "--model", "autoregressive", expect=3).stderr)
        rows = self.rows_of("node,time,value\na,1,1\na,2,2\n")
        message = self.solve(*rows, "--model", "autoregressive", "--order", "3", expect=3).stderr
        self.assertIn("no node has 4 values in a row", message)

    def test_windows_across_a_gap_are_left_out_and_counted(self):
        rows = self.rows_of("node,time,value\n" + "".join(f"a,{t},{t % 3}\n" for t in (1, 2, 3, 4, 9, 10, 11)))
        self.solve(*rows, "--model", "autoregressive", "--order", "2")
        self.assertEqual(self.summary()["samples"], 3)
        self.assertIn("2 values were omitted", self.summary()["warnings"][0])


class OneFilePerNode(AppTest):
    def test_a_folder_gives_what_one_file_gives(self):
        problem = self.write_small_problem()
        self.write("sites/a.csv", "y,x1,x2\n1,1,0\n2,0,1\n")
        self.write("sites/b.csv", "x2,x1,y\n1,1,5\n")
        self.write("sites/c.csv", "y,x1,x2\n-1,1,0\n-2,0.5,1\n")
        self.write("sites/d.csv", "y,x1,x2\n-2,0,1\n")
        self.write("sites/readme.txt", "not a site")
        self.solve(*problem, "--lambda", "0.1", "--out", "whole")
        self.solve("--data-dir", "sites", "--edges", "edges.csv", "--lambda", "0.1", "--out", "parts")
        self.assertEqual(self.read("whole/parameters.csv"), self.read("parts/parameters.csv"))

    def test_a_graph_can_be_made_of_a_folder_too(self):
        rows = {f"n{i}": [f"{i % 2 * 9 + k},{k * k % 5}" for k in range(6)] for i in range(6)}
        for node, lines in rows.items():
            self.write(f"sites/{node}.csv", "x,z\n" + "\n".join(lines) + "\n")
        self.write("data.csv", "node,x,z\n" + "".join(f"{node},{line}\n" for node, lines in rows.items() for line in lines))
        rest = ["--method", "wasserstein", "--neighbours", "2"]
        self.gtvmin("graph", "--data-dir", "sites", *rest, "--out", "parts.csv")
        self.gtvmin("graph", "--data", "data.csv", *rest, "--out", "whole.csv")
        self.assertEqual(self.read("parts.csv"), self.read("whole.csv"))

    def test_what_is_wrong_is_named_by_file_and_line(self):
        self.write("edges.csv", NO_EDGES)
        self.write("sites/a.csv", "y,x\n1,1\n")
        self.write("sites/b.csv", "y,z\n1,1\n")
        self.write("sites/c.csv", "y,x\n1,nan\n")
        rest = ["--edges", "edges.csv", "--lambda", "1", "--out", "out"]
        message = self.solve("--data-dir", "sites", *rest, expect=3).stderr
        self.assertIn('sites/b.csv:1: no column "x"', message)
        self.assertIn('sites/c.csv:2: column "x": "nan" is not a finite number', message)
        (self.folder / "empty").mkdir()
        self.assertIn("contains no file *.csv", self.solve("--data-dir", "empty", *rest, expect=3).stderr)
        self.assertIn("cannot be used together", self.solve("--data-dir", "sites", "--data", "x", *rest, expect=2).stderr)


class PrivateParameters(AppTest):
    def test_only_what_is_coupled_is_part_of_the_problem(self):
        problem = self.write_small_problem()
        self.solve(*problem, "--lambda", "100", "--intercept", "--couple", "x?", "--out", "out")
        self.assertEqual(self.summary()["dimension"], 2)
        rows = self.rows("out/parameters.csv")
        self.assertEqual(list(rows[0]), ["node", "x1", "x2", "intercept"])
        self.assertEqual(len({(row["x1"], row["x2"]) for row in rows}), 1)
        self.assertGreater(len({row["intercept"] for row in rows}), 2)


class Predict(AppTest):
    def solved(self, *options, penalty="l2"):
        self.solve(*self.write_small_problem(), "--lambda", "0.01", "--penalty", penalty, "--out", "out", "--force", *options)
        return {row["node"]: [float(row["x1"]), float(row["x2"])] for row in self.rows("out/parameters.csv")}

    def predictions(self, *options):
        self.gtvmin("predict", "out", *options, "--out", "p.csv", "--force")
        return self.rows("p.csv")

    def test_rows_keep_their_order_and_labels_are_not_needed(self):
        w = self.solved()
        self.write("new.csv", "x2,node,x1\n1,d,0\n0,a,2\n3,d,1\n")
        found = self.predictions("--data", "new.csv")
        self.assertEqual([row["node"] for row in found], ["d", "a", "d"])
        for row, (x1, x2) in zip(found, ((0, 1), (2, 0), (1, 3))):
            node = w[row["node"]]
            self.assertAlmostEqual(float(row["prediction"]), node[0] * x1 + node[1] * x2, places=12)

    def test_a_new_node_minimises_the_penalty_to_its_neighbours(self):
        self.write("new.csv", "node,x1,x2\nfresh,1,0\nfresh,0,1\n")
        self.write("more.csv", "source,target,weight\nfresh,a,1\nfresh,b,2\nc,fresh,4\n")
        w = self.solved(penalty="squared_l2")
        found = [float(row["prediction"]) for row in self.predictions("--data", "new.csv", "--edges", "more.csv")]
        for k in range(2):
            self.assertAlmostEqual(found[k], (w["a"][k] + 2 * w["b"][k] + 4 * w["c"][k]) / 7, places=6)
        w = self.solved(penalty="l1")  # the weighted median, coordinate by coordinate: c outweighs the others
        found = [float(row["prediction"]) for row in self.predictions("--data", "new.csv", "--edges", "more.csv")]
        for k in range(2):
            self.assertAlmostEqual(found[k], w["c"][k], places=6)

    def test_a_node_that_nothing_connects_is_named(self):
        self.solved()
        self.write("new.csv", "node,x1,x2\nfresh,1,0\n")
        done = self.gtvmin("predict", "out", "--data", "new.csv", expect=3)
        self.assertIn("node 'fresh' was not trained", done.stderr)

    def test_private_parameters_of_a_new_node_are_not_invented(self):
        self.solved("--couple", "x1")
        self.write("new.csv", "node,x1,x2\nfresh,1,0\n")
        self.write("more.csv", "source,target\nfresh,a\n")
        done = self.gtvmin("predict", "out", "--data", "new.csv", "--edges", "more.csv", expect=2)
        self.assertIn("private parameters", done.stderr)

    def test_classes_come_with_probabilities(self):
        self.write("data.csv", "node,y,x\na,up,1\na,down,-1\nb,up,2\nb,down,-2\nb,up,-1\n")
        self.write("edges.csv", "source,target\na,b\n")
        self.solve("--data", "data.csv", "--edges", "edges.csv", "--model", "softmax", "--lambda", "1", "--ridge", "0.1",
                   "--out", "out", expect=4)
        self.write("new.csv", "node,x\na,3\nb,-3\n")
        found = self.predictions("--data", "new.csv")
        self.assertEqual([row["prediction"] for row in found], ["up", "down"])
        for row in found:
            self.assertAlmostEqual(float(row["p:up"]) + float(row["p:down"]), 1, places=12)
        self.assertIn("misclassification", self.gtvmin("evaluate", "out", "--data", "data.csv").stdout)
        self.write("other.csv", "node,y,x\na,sideways,3\n")
        self.assertIn("class sideways is unknown", self.gtvmin("evaluate", "out", "--data", "other.csv", expect=3).stderr)

    def test_models_without_a_label_say_that_they_predict_nothing(self):
        for model in ("point", "gaussian-mean", "graphical"):
            self.write("data.csv", "node,x,z\na,1,2\na,2,1\na,0,-1\n")
            self.write("edges.csv", NO_EDGES)
            self.solve("--data", "data.csv", "--edges", "edges.csv", "--model", model, "--lambda", "1", "--out", "out", "--force",
                       expect=4 if model == "graphical" else 0)
            self.assertIn("makes no predictions", self.gtvmin("predict", "out", "--data", "data.csv", expect=2).stderr)

    def test_a_series_is_continued(self):
        values = [1.0]
        for _ in range(20):
            values.append(0.5 * values[-1] + 1)
        self.write("data.csv", "node,time,value\n" + "".join(f"a,{t},{v!r}\n" for t, v in enumerate(values)))
        self.write("edges.csv", NO_EDGES)
        self.solve("--data", "data.csv", "--edges", "edges.csv", "--model", "autoregressive", "--intercept", "--lambda", "1",
                   "--out", "out")
        self.assertIn("mean squared error", self.gtvmin("evaluate", "out", "--data", "data.csv").stdout)
        found = self.predictions("--data", "data.csv", "--horizon", "2")
        self.assertEqual([float(row["time"]) for row in found], [21, 22])
        first = 0.5 * values[-1] + 1
        self.assertTrue(math.isclose(float(found[0]["prediction"]), first, abs_tol=1e-6))
        self.assertTrue(math.isclose(float(found[1]["prediction"]), 0.5 * first + 1, abs_tol=1e-6))
