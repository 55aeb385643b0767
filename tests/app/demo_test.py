"""gtvmin demo sacramento: the claim of the README, and that the printed command repeats the run."""

import json
import re

from app import ROOT, AppTest


class Sacramento(AppTest):
    def test_neighbours_predict_better_than_what_one_would_try_first_and_solve_repeats_the_run(self):
        done = self.gtvmin("demo", "sacramento", "--data", ROOT / "data" / "sacramento.csv", "--out", "out")
        errors = [float(x) for x in re.findall(r" (\d\.\d{3})$", done.stdout, re.MULTILINE)]
        mean, pooled, nearest, gtv = errors
        self.assertTrue(0.9 < mean < 1.2, mean)
        self.assertTrue(0.3 < pooled < 0.5, pooled)
        self.assertTrue(0.4 < nearest < 0.7, nearest)
        self.assertLess(gtv, 0.35)
        self.assertLess(gtv, pooled)
        self.assertIn("certified within", done.stdout)

        command = re.search(r"gtvmin (solve \S+ --out \S+)", done.stdout).group(1).split()
        self.gtvmin(*command)
        self.assertEqual(self.read("out/parameters.csv"), self.read("out-again/parameters.csv"))
        self.assertEqual(json.loads(self.read("out-again/summary.json"))["objective"], self.summary()["objective"])

    def test_what_the_readme_says_of_the_run_is_true(self):
        done = self.gtvmin("demo", "sacramento", "--data", ROOT / "data" / "sacramento.csv", "--out", "out")
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        summary = self.summary()
        self.assertEqual((summary["status"], summary["certificate"]["kind"]), ("solved", "gap"))
        self.assertTrue(summary["clusters_exact"])
        clusters = int(re.search(r"gtvmin found (\d+) clusters", readme).group(1))
        self.assertEqual(summary["clusters"], clusters)
        self.assertIn(f"{clusters} linear models", readme)
        self.assertIn(f"{summary['nodes']} house sales", readme)

        # Connected places with equal models, to the last bit: one model for every cluster.
        parameters = {row.pop("node"): tuple(row.values()) for row in self.rows("out/parameters.csv")}
        cluster_of = {row["node"]: row["cluster"] for row in self.rows("out/clusters.csv")}
        models = {(cluster_of[node], w) for node, w in parameters.items()}
        self.assertEqual(len(models), clusters)
        edges = self.rows("out/edges.csv")
        for edge in edges:
            i, j = edge["source"], edge["target"]
            self.assertEqual(cluster_of[i] == cluster_of[j], parameters[i] == parameters[j], (i, j))
        decided = sum(edge["status"] != "undecided" for edge in edges)
        self.assertGreaterEqual(decided, 0.9 * len(edges))
        self.assertTrue(summary["fewest_clusters"] <= clusters <= summary["most_clusters"])

        # The table: errors of the split of ./run.
        mean, pooled, nearest, gtv = re.findall(r" (\d\.\d{3})$", done.stdout, re.MULTILINE)
        for row in (f"| mean price | – | {mean} |", f"| mean of the 5 nearest sales | distance | {nearest} |",
                    f"| linear | – | {pooled} |", f"| **gtvmin** | 5 nearest houses | **{gtv}** |"):
            self.assertIn(row, readme)

    def test_withheld_houses_stand_in_the_graph_but_not_in_the_data(self):
        self.gtvmin("demo", "sacramento", "--data", ROOT / "data" / "sacramento.csv", "--out", "out", "--seed", "3")
        known = {row["node"] for row in self.rows("out/data.csv")}
        withheld = {row["node"] for row in self.rows("out/heldout.csv")}
        edges = self.rows("out/graph.csv")
        self.assertEqual((len(known), len(withheld)), (732, 200))
        self.assertEqual(known & withheld, set())
        self.assertEqual({row[end] for row in edges for end in ["source", "target"]}, known | withheld)
        self.assertAlmostEqual(sum(float(row["weight"]) for row in edges) / len(edges), 1)
        prices = [float(row["price"]) for row in self.rows("out/data.csv")]
        self.assertAlmostEqual(sum(prices), 0, places=9)

    def test_bad_input(self):
        self.write("houses.csv", "beds,baths,sqft,price,latitude\n1,1,1,1,1\n")
        done = self.gtvmin("demo", "sacramento", "--data", "houses.csv", "--out", "out", expect=3)
        self.assertIn("houses.csv:1: there is no column 'longitude'", done.stderr)
        self.write("houses.csv", "beds,baths,sqft,price,latitude,longitude\n1,1,x,1,1,1\n")
        done = self.gtvmin("demo", "sacramento", "--data", "houses.csv", "--out", "out", expect=3)
        self.assertIn("houses.csv:2: 'x' in column 'sqft' is not a number", done.stderr)
        self.assertFalse((self.folder / "out").exists())
