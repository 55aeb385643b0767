"""gtvmin solve: results, exit codes, bad input, TOML."""

import json
import resource

from app import FILES, ROOT, AppTest


class Results(AppTest):
    def test_writes_all_files_and_says_how_good_the_answer_is(self):
        done = self.solve(*self.write_small_problem(), "--lambda", "0.1", "--out", "out")
        self.assertEqual(sorted(path.name for path in (self.folder / "out").iterdir()), FILES)
        self.assertIn("certified within", done.stdout)
        self.assertEqual(done.stderr, "")
        summary = self.summary()
        for name in ["status", "objective", "loss", "gtv", "certificate", "iterations", "newton_steps", "seconds",
                     "nodes", "edges", "dimension", "clusters", "lambda", "penalty", "model", "method", "seed",
                     "version", "options", "warnings", "dual_value", "kkt", "clusters_exact", "fewest_clusters",
                     "most_clusters"]:
            self.assertIn(name, summary)
        self.assertEqual(summary["status"], "solved")
        self.assertLessEqual(summary["certificate"]["relative"], 1e-6)
        self.assertAlmostEqual(summary["objective"], summary["loss"] + 0.1 * summary["gtv"], places=9)
        self.assertEqual((summary["nodes"], summary["edges"], summary["dimension"]), (5, 4, 2))
        self.assertEqual(summary["options"]["max-iterations"], 100000)
        self.assertNotIn("standardize", summary)

    def test_node_weights_multiply_losses(self):
        # ρ times a squared loss is the squared loss of features and labels times √ρ.
        self.write("data.csv", "node,y,x1\na,1,1\nb,5,2\nc,-1,1\n")
        self.write("scaled.csv", "node,y,x1\na,3,3\nb,5,2\nc,-0.5,0.5\n")
        self.write("edges.csv", "source,target\na,b\nb,c\n")
        self.write("weights.csv", "node,weight\na,9\nc,0.25\n")
        common = ["--edges", "edges.csv", "--lambda", "0.2", "--tol", "1e-12"]
        self.solve("--data", "data.csv", *common, "--node-weights", "weights.csv", "--out", "weighted")
        self.solve("--data", "scaled.csv", *common, "--out", "scaled")
        self.solve("--data", "data.csv", *common, "--out", "plain")
        weighted, scaled, plain = ([float(row["x1"]) for row in self.rows(f"{name}/parameters.csv")]
                                   for name in ("weighted", "scaled", "plain"))
        for a, b in zip(weighted, scaled):
            self.assertAlmostEqual(a, b, places=9)
        self.assertGreater(abs(weighted[0] - plain[0]), 0.01)
        self.assertAlmostEqual(self.summary("weighted")["objective"], self.summary("scaled")["objective"], places=9)

    def test_node_weights_are_positive_and_of_known_nodes(self):
        problem = [*self.write_small_problem(), "--lambda", "0.1", "--out", "out", "--node-weights", "weights.csv"]
        for content, words in (("node,weight\na,0\n", "node 'a': the weight must be > 0, not 0"),
                               ("node,weight\nstranger,1\n", "stranger"),
                               ("node,mass\na,1\n", "the columns must be node and weight")):
            self.write("weights.csv", content)
            with self.subTest(content=content):
                self.assertIn(words, self.solve(*problem, expect=3).stderr)

    def test_shares_of_nodes_and_edges_add_up_to_the_certificate(self):
        self.solve(*self.write_small_problem(), "--lambda", "0.1", "--out", "out")
        shares = [float(row["certificate"]) for name in ["nodes", "edges"] for row in self.rows(f"out/{name}.csv")]
        value = self.summary()["certificate"]["value"]
        self.assertAlmostEqual(sum(shares), value, delta=1e-9 * max(value, 1e-12) + 1e-15)

    def test_nodes_keep_the_order_of_the_files(self):
        self.solve(*self.write_small_problem(), "--lambda", "0.1", "--out", "out")
        for name in ["parameters", "clusters", "nodes"]:
            self.assertEqual([row["node"] for row in self.rows(f"out/{name}.csv")], ["a", "b", "c", "d", "quiet"])
        self.assertEqual([row["samples"] for row in self.rows("out/nodes.csv")], ["2", "1", "2", "1", "0"])

    def test_only_across_used_up_edges_the_models_differ(self):
        self.solve(*self.write_small_problem(), "--lambda", "0.1", "--out", "out", "--tol", "1e-10")
        edges = self.rows("out/edges.csv")
        self.assertEqual([(edge["source"], edge["target"]) for edge in edges],
                         [("a", "b"), ("b", "c"), ("c", "d"), ("d", "quiet")])
        cut = edges[1]
        self.assertAlmostEqual(float(cut["utilisation"]), 1, places=7)
        self.assertGreater(float(cut["difference"]), 0.1)
        self.assertAlmostEqual(float(cut["flow_norm"]), 0.1 * 0.01, places=10)
        for edge in edges:
            if float(edge["difference"]) > 1e-6:
                self.assertGreater(float(edge["utilisation"]), 1 - 1e-6)
                self.assertNotEqual(edge["status"], "fused")
            self.assertLessEqual(float(edge["flow_norm"]), 0.1 * float(edge["weight"]) * (1 + 1e-9))

    def test_a_node_without_data_takes_the_model_of_its_neighbour(self):
        self.solve(*self.write_small_problem(), "--lambda", "0.1", "--out", "out")
        parameters = {row["node"]: row for row in self.rows("out/parameters.csv")}
        self.assertEqual(parameters["quiet"]["x1"], parameters["d"]["x1"])
        clusters = {row["node"]: row["cluster"] for row in self.rows("out/clusters.csv")}
        self.assertEqual(clusters["quiet"], clusters["d"])
        self.assertEqual(clusters["a"], "0")

    def test_a_part_of_the_graph_without_data_is_named_and_gets_zero(self):
        self.write("data.csv", "node,y,x1\na,1,1\nb,2,1\n")
        self.write("edges.csv", "source,target\na,b\nlost,gone\n")
        done = self.solve("--data", "data.csv", "--edges", "edges.csv", "--lambda", "0.1", "--out", "out")
        self.assertIn("no node with data is connected to 'lost', 'gone'; parameters there are 0", done.stdout)
        parameters = {row["node"]: float(row["x1"]) for row in self.rows("out/parameters.csv")}
        self.assertEqual((parameters["lost"], parameters["gone"]), (0, 0))

    def test_every_model_and_penalty_runs(self):
        self.write("data.csv", "node,y,x1,x2\na,1,1,0\nb,0,1,1\na,1,0,1\nc,0,-1,0.5\nd,1,0.5,1\n")
        self.write("edges.csv", "source,target\na,b\nb,c\nc,d\n")
        self.write("points.csv", "node,x1,x2\na,1,0\nb,0,1\nc,5,5\nd,5,6\n")
        self.write("q.csv", "2,1\n1,1\n")
        for model, data in [("linear", "data.csv"), ("logistic", "data.csv"), ("point", "points.csv")]:
            for penalty in ["l2", "l1", "squared_l2", "quadratic", "linf"]:
                with self.subTest(model=model, penalty=penalty):
                    matrix = ["--quadratic-matrix", "q.csv"] if penalty == "quadratic" else []
                    self.solve("--data", data, "--edges", "edges.csv", "--model", model, "--penalty", penalty,
                               "--lambda", "0.2", "--ridge", "0.1", "--out", f"{model}-{penalty}", *matrix)
                    summary = self.summary(f"{model}-{penalty}")
                    self.assertEqual((summary["model"], summary["penalty"]), (model, penalty))

    def test_json_prints_the_summary_and_nothing_else(self):
        done = self.solve(*self.write_small_problem(), "--lambda", "0.1", "--out", "out", "--json")
        self.assertEqual(done.stdout.encode(), self.read("out/summary.json"))
        self.assertEqual(json.loads(done.stdout)["status"], "solved")

    def test_columns_can_be_renamed_and_selected(self):
        self.write("data.csv", "id,noise,x,price\na,7,1,2\nb,8,1,3\n")
        self.write("edges.csv", "source,target\na,b\n")
        self.solve("--data", "data.csv", "--edges", "edges.csv", "--lambda", "0", "--out", "out", "--node-column", "id",
                   "--label", "price", "--features", "x")
        rows = self.rows("out/parameters.csv")
        self.assertEqual(list(rows[0]), ["node", "x"])
        self.assertAlmostEqual(float(rows[1]["x"]), 3)

    def test_standardize_reports_means_and_scales(self):
        self.write("data.csv", "node,y,x,same\na,1,10,4\nb,2,20,4\nc,4,30,4\n")
        self.write("edges.csv", "source,target\na,b\nb,c\n")
        done = self.solve("--data", "data.csv", "--edges", "edges.csv", "--lambda", "0.1", "--out", "out",
                          "--standardize", "--intercept")
        summary = self.summary()
        self.assertEqual(summary["standardize"]["means"], {"x": 20, "same": 4})
        self.assertAlmostEqual(summary["standardize"]["scales"]["x"], (200 / 3) ** 0.5)
        self.assertEqual(summary["standardize"]["scales"]["same"], 1)
        self.assertTrue(any("'same' is constant" in warning for warning in summary["warnings"]))
        self.assertIn("standardised", done.stdout)

    def test_threads_and_shards_do_not_change_a_bit(self):
        problem = [*self.write_small_problem(), "--lambda", "0.1"]
        self.solve(*problem, "--out", "one", "--threads", "1")
        self.solve(*problem, "--out", "many", "--threads", "2", "--shards", "3")
        self.assertEqual(self.read("one/parameters.csv"), self.read("many/parameters.csv"))

    def test_a_network_that_loses_messages_does_not_change_a_bit_and_tells_what_was_sent_again(self):
        problem = [*self.write_small_problem(), "--lambda", "0.1"]
        quiet = self.solve(*problem, "--out", "one")
        self.assertNotIn("network", quiet.stdout)
        self.assertNotIn("network", self.summary("one"))
        self.solve(*problem, "--out", "calm", "--shards", "3")
        self.assertEqual(self.summary("calm")["network"]["retransmissions"], 0)
        done = self.solve(*problem, "--out", "stormy", "--shards", "3", "--network-loss", "0.3")
        network = self.summary("stormy")["network"]
        self.assertGreater(network["retransmissions"], 0)
        self.assertEqual(network["messages"] - network["retransmissions"], self.summary("calm")["network"]["messages"])
        self.assertRegex(done.stdout, rf"network .*\b{network['retransmissions']} retransmissions\b")
        for name in ("calm", "stormy"):
            self.assertEqual(self.read("one/parameters.csv"), self.read(f"{name}/parameters.csv"))
        self.assertIn("--network-loss needs --shards",
                      self.solve(*problem, "--out", "out", "--network-loss", "0.3", expect=2).stderr)


class ExitCodes(AppTest):
    def test_stopping_at_a_limit_is_4_with_results(self):
        problem = self.write_long_problem()
        self.solve(*problem, "--max-iterations", "10", expect=2)  # twice the same option
        done = self.solve(*problem[:-1], "10", expect=4)  # with no tolerance they are what was asked for
        self.assertIn("completed the iterations", done.stdout)
        self.assertEqual(self.summary()["status"], "completed")
        limited = [word if word != "0" else "1e-6" for word in problem[:-1]]
        done = self.solve(*limited, "10", "--force", expect=4)
        self.assertIn("iteration limit", done.stdout)
        self.assertEqual(self.summary()["status"], "iteration-limit")
        self.solve(*problem, "--force", "--time-limit", "0.3", expect=4)
        self.assertEqual(self.summary()["status"], "time-limit")

    def test_usage_errors_are_2_and_say_what_was_meant(self):
        problem = self.write_small_problem()
        good = [*problem, "--lambda", "0.1", "--out", "out"]
        for arguments, message in [
            ([], "a command is missing"),
            (["slove"], "did you mean 'solve'?"),
            (["solve", "--lamda", "1"], "unknown option '--lamda'; did you mean '--lambda'?"),
            (["solve", *problem, "--out", "out"], "--lambda is required"),
            (["solve", "--lambda", "1"], "--data is required"),
            (["solve", *good, "--tol"], "--tol needs one value"),
            (["solve", *good, "--tol", "-1"], "--tol must be ≥ 0 and < 1, not -1"),
            (["solve", *problem, "--out", "out", "--lambda", "nan"], "--lambda must be finite"),
            (["solve", *good, "--threads", "two"], "--threads needs a whole number, not 'two'"),
            (["solve", *good, "--model", "liner"], "did you mean 'linear'?"),
            (["solve", *good, "--penalty", "quadratic"], "needs --quadratic-matrix"),
            (["solve", *good, "--quadratic-matrix", "q.csv"], "needs --penalty quadratic"),
            (["solve", *good, "--model", "point", "--intercept"], "no intercept"),
            (["solve", *problem, "--lambda", "1", "--out", "no/such/parent"], "no/such"),
        ]:
            with self.subTest(arguments=arguments):
                done = self.gtvmin(*arguments, expect=2)
                self.assertIn(message, done.stderr)
                self.assertEqual(done.stdout, "")
                self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["data.csv", "edges.csv"])

    def test_help_and_version_are_0(self):
        self.assertIn("--lambda", self.gtvmin("solve", "--help").stdout)
        self.assertRegex(self.gtvmin("--version").stdout, r"^gtvmin \d+\.\d+\.\d+\n$")

    def test_a_disk_that_refuses_is_5_and_leaves_nothing(self):
        problem = self.write_long_problem()

        def small_files_only():
            resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

        # Python ignores SIGXFSZ, and the child inherits that: writing fails as it does on a full disk.
        done = self.solve(*problem[:-1], "10", expect=5, preexec_fn=small_files_only, restore_signals=False)
        self.assertIn("out", done.stderr)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["data.csv", "edges.csv"])

    def test_results_are_replaced_only_with_force_and_only_if_they_are_results(self):
        problem = [*self.write_small_problem(), "--lambda", "0.1", "--out", "out"]
        self.solve(*problem)
        before = self.read("out/summary.json")
        self.assertIn("--force", self.solve(*problem, expect=2).stderr)
        self.assertEqual(self.read("out/summary.json"), before)
        self.solve(*problem[:-3], "0.2", "--out", "out", "--force")
        self.assertEqual(self.summary()["lambda"], 0.2)
        self.write("precious/letter.txt", "dear")
        self.solve(*problem[:-1], "precious", "--force", expect=2)
        self.assertEqual(self.read("precious/letter.txt"), b"dear")

    def test_force_does_not_eat_its_own_input(self):
        problem = self.write_small_problem()
        self.solve(*problem, "--lambda", "0.1", "--out", "out")
        (self.folder / "data.csv").rename(self.folder / "out" / "data.csv")
        done = self.solve("--data", "out/data.csv", "--edges", "edges.csv", "--lambda", "0.1", "--out", "./out/",
                          "--force", expect=2)
        self.assertIn("out/data.csv lies in the directory", done.stderr)


class BadInput(AppTest):
    GOOD_DATA = "node,y,x\na,1,1\nb,2,1\n"
    GOOD_EDGES = "source,target\na,b\n"

    CASES = [
        ("not a number", {"data": "node,y,x\na,1,1\nb,2,one\n"}, "data.csv:3:"),
        ("NaN", {"data": "node,y,x\na,nan,1\n"}, "data.csv:2:"),
        ("infinite", {"data": "node,y,x\na,1,inf\n"}, "data.csv:2:"),
        ("ragged row", {"data": "node,y,x\na,1,1\nb,2\n"}, "data.csv:3:"),
        ("truncated quote", {"data": 'node,y,x\na,1,1\nb,2,"1\n'}, "data.csv:3:"),
        ("empty file", {"data": ""}, "data.csv"),
        ("header only", {"data": "node,y,x\n", "edges": "source,target\n"}, "data.csv"),
        ("no node column", {"data": "id,y,x\na,1,1\n"}, "data.csv:1:"),
        ("no label column", {"data": "node,x\na,1\n"}, "data.csv:1:"),
        ("self-loop", {"edges": "source,target\na,b\nb,b\n"}, "edges.csv:3:"),
        ("edge twice", {"edges": "source,target\na,b\nb,a\n"}, "edges.csv:3:"),
        ("weight zero", {"edges": "source,target,weight\na,b,0\n"}, "edges.csv:2:"),
        ("weight negative", {"edges": "source,target,weight\na,b,-1\n"}, "edges.csv:2:"),
        ("unknown edge column", {"edges": "source,target,wieght\na,b,1\n"}, "edges.csv:1:"),
    ]

    def refuse(self, *extra, data=GOOD_DATA, edges=GOOD_EDGES):
        self.write("data.csv", data)
        self.write("edges.csv", edges)
        before = sorted(path.name for path in self.folder.iterdir())
        done = self.solve("--data", "data.csv", "--edges", "edges.csv", "--lambda", "1", "--out", "out", *extra, expect=3)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), before)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def test_every_kind_is_3_with_its_place_and_writes_nothing(self):
        for name, files, place in self.CASES:
            with self.subTest(name):
                self.assertIn(place, self.refuse(**files))

    def test_all_problems_are_listed_up_to_twenty(self):
        message = self.refuse(data="node,y,x\n" + "a,1,x\n" * 3)
        self.assertEqual(message.count("data.csv:"), 3)
        message = self.refuse(data="node,y,x\n" + "a,1,x\n" * 30)
        self.assertIn("data.csv:21:", message)
        self.assertNotIn("data.csv:22:", message)
        self.assertIn("10 more", message)

    def test_labels_outside_the_domain_of_the_model(self):
        self.assertIn("data.csv:3:", self.refuse("--model", "logistic"))

    def test_unknown_columns_asked_for_by_option(self):
        self.assertIn("'q'", self.refuse("--features", "x,q").replace('"', "'"))

    def test_files_that_are_none(self):
        self.write("data.csv", self.GOOD_DATA)
        (self.folder / "folder").mkdir()
        for edges, message in [("folder", "directory"), ("missing.csv", "missing.csv")]:
            done = self.solve("--data", "data.csv", "--edges", edges, "--lambda", "1", "--out", "out", expect=3)
            self.assertIn(message, done.stderr)

    def test_a_quadratic_matrix_must_be_symmetric_positive_semidefinite_and_fit(self):
        for content in ["1,2\n0,1\n", "-1\n", "1,0\n0,1\n", "one\n"]:
            with self.subTest(content):
                self.write("q.csv", content)
                self.refuse("--penalty", "quadratic", "--quadratic-matrix", "q.csv")

    def test_odd_but_legal_files_are_read(self):
        self.write("data.csv", b"\xef\xbb\xbfnode,y,x\r\n\"b, the \"\"second\"\"\r\nline\",1,1\r\nc,2,+1e0")
        self.write("edges.csv", "target,source\r\nc,\"b, the \"\"second\"\"\r\nline\"\r\n\r\n")
        self.solve("--data", "data.csv", "--edges", "edges.csv", "--lambda", "1", "--out", "out")
        self.assertEqual(self.rows("out/parameters.csv")[0]["node"], 'b, the "second"\r\nline')


class Toml(AppTest):
    RUN = 'data = "data.csv"\nedges = "edges.csv"\nout = "out"\nlambda = 0.1\nmodel = "linear"\npenalty = "l1"\n'

    def test_gives_the_same_bits_as_flags_and_paths_start_at_the_file(self):
        problem = self.write_small_problem()
        self.solve(*problem, "--lambda", "0.1", "--penalty", "l1", "--features", "x1", "--out", "flags")
        self.write("run.toml", self.RUN + 'features = ["x1"]\n')
        self.gtvmin("solve", self.folder / "run.toml", "--no-progress")
        self.assertEqual(self.read("flags/parameters.csv"), self.read("out/parameters.csv"))

    def test_the_command_line_wins(self):
        self.write_small_problem()
        self.write("run.toml", self.RUN + "json = true\n")
        done = self.solve("run.toml", "--lambda", "0.2", "--no-json", "--out", "other")
        self.assertEqual(self.summary("other")["lambda"], 0.2)
        self.assertNotIn("{", done.stdout)
        self.assertFalse((self.folder / "out").exists())

    def test_problems_are_3_with_their_place(self):
        self.write_small_problem()
        for line, message in [
            ("lamda = 1", "run.toml:7: unknown option 'lamda'; did you mean 'lambda'?"),
            ("tol = -1", "run.toml:7: 'tol' must be ≥ 0 and < 1, not -1"),
            ("threads = 1.5", "run.toml:7: 'threads' needs a whole number, not '1.5'"),
            ("seed = 1979-05-27", "run.toml:7:"),
            ("this is no toml", "run.toml:7:"),
        ]:
            with self.subTest(line):
                self.write("run.toml", self.RUN + line + "\n")
                self.assertIn(message, self.solve("run.toml", expect=3).stderr)
                self.assertFalse((self.folder / "out").exists())
        self.solve("missing.toml", expect=3)

    def test_options_are_recorded_in_full(self):
        self.write_small_problem()
        self.write("run.toml", self.RUN)
        self.solve("run.toml")
        page = (ROOT / "docs" / "options.md").read_text(encoding="utf-8").split("## gtvmin solve")[1].split("\n## ")[0]
        documented = [line.split("`")[1][2:] for line in page.splitlines() if line.startswith("| `--")]
        self.assertEqual(list(self.summary()["options"]), documented)
