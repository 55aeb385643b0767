"""gtvmin graph as a user meets it: files, reports, bad input, interruption."""

import json
import math
import random
import resource
import signal
import subprocess

from app import GTVMIN, ROOT, AppTest


class GraphTest(AppTest):
    def graph(self, *arguments, expect=0, **options):
        return self.gtvmin("graph", "--data", "data.csv", "--out", "edges.csv", *arguments, expect=expect, **options)

    def report(self, *arguments):
        return json.loads(self.graph(*arguments, "--json", "--force").stdout)

    def write_two_kinds(self, nodes=12, samples=40, seed=1):
        """Even nodes lie around 0 and have y = x1 + x2, odd ones around 6 and y = x1 − x2."""
        rng = random.Random(seed)
        rows = []
        for node in range(nodes):
            kind = node % 2
            for _ in range(samples):
                x = [rng.gauss(6 * kind, 1) for _ in range(2)]
                rows.append(f"n{node},{x[0] + (1 - 2 * kind) * x[1]},{x[0]},{x[1]}\n")
        self.write("data.csv", "node,y,x1,x2\n" + "".join(rows))
        self.write("clusters.csv", "node,cluster\n" + "".join(f"n{i},{i % 2}\n" for i in range(nodes)))

    def write_series(self):
        lines = [f"n{i},{t},{(-1) ** (i % 2) * math.sin(t) + 0.01 * i * math.cos(3 * t)}\n"
                 for i in range(8) for t in range(30)]
        self.write("data.csv", "node,time,value\n" + "".join(lines))
        self.write("clusters.csv", "node,cluster\n" + "".join(f"n{i},{i % 2}\n" for i in range(8)))


class Methods(GraphTest):
    METHODS = [["knn-coordinates"], ["knn-features"], ["knn-features", "--metric", "gaussian-kl"],
               ["knn-features", "--metric", "euclidean"], ["kl-knn"], ["wasserstein"], ["parameters"],
               ["parameters", "--model", "point"], ["kl-knn", "--embed", "pca"], ["wasserstein", "--standardize"],
               ["kl-knn", "--embed", "random-projection", "--embed-dimension", "1"], ["kl-knn", "--embed", "tsne"]]

    def test_each_finds_two_kinds_of_nodes_and_the_solver_takes_the_result(self):
        self.write_two_kinds()
        for method in self.METHODS:
            with self.subTest(method):
                report = self.report("--method", *method, "--neighbours", "3", "--clusters", "clusters.csv",
                                     "--scale", "median")
                self.assertEqual(report["clusters"]["share"], 1)
                self.assertEqual(report["components"], 2)
                self.assertEqual(report["edges"], len(self.rows("edges.csv")))
                self.assertTrue(report["leaves_site"])
                self.solve("--data", "data.csv", "--edges", "edges.csv", "--lambda", "0.1", "--out", "out", "--force")

    def test_series_are_compared_by_correlation(self):
        self.write_series()
        self.assertEqual(self.report("--method", "correlation", "--neighbours", "2", "--clusters", "clusters.csv")
                         ["clusters"]["share"], 1)
        mixed = self.report("--method", "correlation", "--neighbours", "2", "--clusters", "clusters.csv", "--absolute")
        self.assertLess(mixed["clusters"]["share"], 1)

    def test_the_label_is_left_out_unless_it_is_a_feature(self):
        self.write("data.csv", "node,y,x\na,100,0\nb,0,1\nc,100,3\n")
        arguments = ["--method", "knn-coordinates", "--neighbours", "1", "--weights", "binary"]
        self.report(*arguments)
        self.assertEqual(self.read("edges.csv"), b"source,target,weight\na,b,1\nb,c,1\n")
        self.report(*arguments, "--features", "y,x")
        self.assertEqual(self.read("edges.csv"), b"source,target,weight\na,b,1\na,c,1\n")

    def test_houses_by_their_place(self):
        lines = (ROOT / "data" / "sacramento.csv").read_text(encoding="utf-8").splitlines()
        places = [line.rsplit(",", 2)[1:] for line in lines[1:]]
        self.write("data.csv", "node,latitude,longitude\n" + "".join(f"h{i},{a},{b}\n" for i, (a, b) in enumerate(places)))
        report = self.report("--method", "knn-coordinates", "--metric", "haversine", "--connect", "--scale", "median")
        self.assertEqual(report["components"], 1)
        self.assertEqual(report["isolated"], 0)
        self.assertLess(report["distance"]["max"], 100)  # kilometres

    def test_every_number_of_threads_writes_the_same_file(self):
        self.write_two_kinds()
        written = set()
        for threads in [1, 2, 3]:
            self.report("--method", "kl-knn", "--embed", "tsne", "--threads", threads, "--connect")
            written.add(self.read("edges.csv"))
        self.assertEqual(len(written), 1)

    def test_edges_are_sorted_and_exact(self):
        self.write("data.csv", "node,x\nb,0\na,0.1\nc,0.3\n")
        self.report("--method", "knn-coordinates", "--join", "full")
        rows = self.rows("edges.csv")
        self.assertEqual([(r["source"], r["target"]) for r in rows], [("b", "a"), ("b", "c"), ("a", "c")])
        self.assertEqual(float(rows[0]["weight"]), math.exp(-0.1))


class Reports(GraphTest):
    def test_quadratic_work_is_announced_and_linear_work_is_not(self):
        self.write_two_kinds()
        done = self.graph("--method", "kl-knn", "--force")
        self.assertRegex(done.stderr, r"kl-knn: 66 pairs of nodes, 5280 searches .* memory; this grows with the square")
        self.assertEqual(self.graph("--method", "kl-knn", "--no-progress", "--force").stderr, "")
        self.assertEqual(self.graph("--method", "knn-coordinates", "--force").stderr, "")

    def test_what_hurts_the_solver_is_said(self):
        self.write("data.csv", "node,x\na,0\nb,1\nc,20\nd,22\nlonely,5000\n")
        warnings = "\n".join(self.report("--method", "knn-coordinates", "--neighbours", "2")["warnings"])
        for words in ["omitted because", "'lonely'", "2 components", "weights range from"]:
            self.assertIn(words, warnings)
        self.assertEqual(len(self.rows("edges.csv")), 5)
        self.solve("--data", "data.csv", "--edges", "edges.csv", "--model", "point", "--lambda", "1", "--out", "out")
        report = self.report("--method", "knn-coordinates", "--neighbours", "2", "--connect", "--weights", "rescaled")
        self.assertEqual(report["warnings"], [])

    def test_fits_that_mean_little_are_named(self):
        self.write("data.csv", "node,y,x1,x2\na,1,1,0\nb,5,1,1\nb,2,0,1\n")
        arguments = ["--method", "parameters", "--neighbours", "1"]
        self.assertIn("fewer samples than parameters at 'a'", self.report(*arguments)["warnings"][0])
        self.assertEqual(self.report(*arguments, "--ridge", "0.1")["warnings"], [])

    def test_it_can_be_told_by_a_file(self):
        self.write_two_kinds()
        self.write("run.toml", 'data = "data.csv"\nout = "edges.csv"\nmethod = "wasserstein"\nneighbours = 2\n')
        self.assertIn("2 nearest", self.gtvmin("graph", "run.toml").stdout)


class Refusals(GraphTest):
    def refuse(self, code, message, *arguments, data="node,x,z\na,0,1\nb,1,2\nc,4,4\na,1,1\nb,2,2\nc,3,3\n"):
        self.write("data.csv", data)
        done = self.graph(*arguments, expect=code)
        self.assertIn(message, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertFalse((self.folder / "edges.csv").exists())

    def test_wrong_usage_is_2(self):
        knn = ["--method", "knn-coordinates"]
        for message, *arguments in [
            ("--method", "--neighbours", "1"),
            ("must be one of", "--method", "nearest"),
            ("'manhattan'", *knn, "--metric", "manhattan"),
            ("does not fit the method kl-knn", "--method", "kl-knn", "--metric", "haversine", "--kl-neighbours", "1"),
            ("--neighbours: 3 is not between 1 and 2", *knn, "--neighbours", "3"),
            ("needs --epsilon", *knn, "--join", "ball"),
            ("cannot be used together", *knn, "--neighbours", "1", "--epsilon", "1"),
            ("--epsilon must be > 0", *knn, "--epsilon", "0"),
            ("--scale must be a number > 0", *knn, "--scale", "0"),
            ("--scale must be a number > 0", *knn, "--scale", "huge"),
            ("--scale needs --weights", *knn, "--scale", "2", "--weights", "binary"),
            ("--projections needs --method wasserstein", *knn, "--projections", "3"),
            ("--embed does not fit", *knn, "--embed", "pca"),
            ("--perplexity needs --embed tsne", "--method", "wasserstein", "--perplexity", "5"),
            ("--perplexity: 30 is not", "--method", "wasserstein", "--embed", "tsne", "--neighbours", "1"),
            ("two columns", *knn, "--metric", "haversine", "--features", "x", "--neighbours", "1"),
        ]:
            with self.subTest(arguments):
                self.refuse(2, message, *arguments)

    def test_bad_input_is_3_with_its_place(self):
        one = ["--neighbours", "1"]
        knn = ["--method", "knn-coordinates", *one]
        kl = ["--method", "kl-knn", *one]
        for message, data, *arguments in [
            ("data.csv:3:", "node,x\na,0\nb,one\n", *knn),
            ("data.csv:2:", "node,x\na,nan\nb,1\n", *knn),
            ("data.csv:1:", "id,x\na,1\nb,2\n", *knn),
            ("data.csv:1: there are no columns", "node,y\na,1\nb,2\n", *knn),
            ("data.csv:1: there is no column 'q'", "node,y\na,1\nb,2\n", *knn, "--label", "q"),
            ("data.csv:1:", "node,x\na,1\nb,2\n", *knn, "--features", "q"),
            ("data.csv: a graph needs at least two nodes", "node,x\na,1\na,2\n", *knn),
            ("data.csv: node 'b': latitude 91", "node,x,z\na,1,2\nb,91,2\n", *knn, "--metric", "haversine"),
            ("data.csv: node 'a' has 1 sample; kl-knn", "node,x\na,1\nb,2\n", *kl),
            ("data.csv: node 'a' has numbers beyond", "node,x\na,1e300\nb,2\n", *knn),
            ("data.csv: node 'a' has two values at time 1", "node,time,value\na,1,1\na,1,2\nb,1,1\n", "--method",
             "correlation", *one),
            ("data.csv: no two nodes can be connected", "node,time,value\na,1,1\nb,1,1\n", "--method", "correlation", *one),
            ("data.csv: no two nodes are within", "node,x\na,1\nb,2\n", "--method", "knn-coordinates", "--epsilon", "0.5"),
            ("data.csv: all samples have the same", "node,x,z\na,1,1\nb,1,1\n", "--method", "wasserstein", *one, "--embed",
             "pca"),
            ("data.csv: within every node all features are constant", "node,x\na,1\nb,2\n", "--method", "knn-features",
             "--metric", "gaussian-kl", *one),
            ("data.csv: every weight", "node,x\na,0\nb,9999\n", *knn),
            ("data.csv: node 'a': its own loss has no minimum", "node,y,x\na,1,1\na,1,2\nb,0,1\nb,1,1\n", "--method",
             "parameters", "--model", "logistic", *one),
        ]:
            with self.subTest(message):
                self.refuse(3, message, *arguments, data=data)
        self.refuse(3, "clusters.csv: 1 node of data.csv is not there: c", *knn, "--clusters",
                    self.write("clusters.csv", "node,cluster\na,0\nb,0\n").name)

    def test_constant_and_repeated_samples_are_no_obstacle(self):
        self.write("data.csv", "node,x,z\n" + "".join(f"{n},{v},7\n" for n in "abcd" for v in [0, 0, 0, 0, 0, 0, 1]))
        for method in [["knn-features"], ["knn-features", "--metric", "gaussian-kl"], ["kl-knn"], ["wasserstein"]]:
            with self.subTest(method):
                report = self.report("--method", *method, "--neighbours", "2")
                # What remains of kl-knn where every ratio is 1 is log(7/6).
                self.assertLess(report["distance"]["max"], 0.155 if method == ["kl-knn"] else 1e-6)

    def test_a_file_is_replaced_only_with_force_and_only_if_it_is_one(self):
        self.write("data.csv", "node,x\na,0\nb,1\n")
        arguments = ["--method", "knn-coordinates", "--neighbours", "1"]
        self.write("edges.csv", "precious")
        self.assertIn("--force", self.graph(*arguments, expect=2).stderr)
        self.assertEqual(self.read("edges.csv"), b"precious")
        self.graph(*arguments, "--force")
        self.assertEqual(len(self.rows("edges.csv")), 1)
        nowhere = self.gtvmin("graph", "--data", "data.csv", *arguments, "--out", "no/such/edges.csv", expect=2)
        self.assertIn("the directory no/such does not exist", nowhere.stderr)
        (self.folder / "folder").mkdir()
        self.gtvmin("graph", "--data", "data.csv", *arguments, "--out", "folder", "--force", expect=2)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["data.csv", "edges.csv", "folder"])


    def test_a_disk_that_refuses_is_5_and_leaves_nothing(self):
        self.write("data.csv", "node,x\n" + "".join(f"{i},{i * i}\n" for i in range(200)))

        def small_files_only():
            resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))

        # Python ignores SIGXFSZ, and the child inherits that: writing fails as it does on a full disk.
        done = self.graph("--method", "knn-coordinates", "--weights", "inverse", expect=5, preexec_fn=small_files_only,
                          restore_signals=False)
        self.assertIn("edges.csv: cannot be written", done.stderr)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["data.csv"])


class Interruption(GraphTest):
    def test_ctrl_c_ends_it_with_4_and_writes_nothing(self):
        self.write_two_kinds(nodes=1500, samples=30)
        process = subprocess.Popen([GTVMIN, "graph", "--data", "data.csv", "--method", "kl-knn", "--out", "edges.csv"],
                                   cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.assertIn("1124250 pairs", process.stderr.readline())
        self.assertRegex(process.stderr.readline(), r"^distances \d+ of 1124250 \(\d+ %\), .* elapsed, about .* left\n$")
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 4)
        self.assertEqual(output, "")
        self.assertIn("interrupted; nothing is written", errors)
        self.assertEqual([path.name for path in self.folder.iterdir() if "edges" in path.name], [])
