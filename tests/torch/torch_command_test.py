"""The command with neural nets: modules that PyTorch has saved, masks, results that can be read back, and bad input."""

import csv
import json
import warnings

import numpy
import torch

from app import AppTest

warnings.filterwarnings("ignore")


class Net(torch.nn.Module):
    """Two layers; the second has its own name, so that masks can speak of it."""

    def __init__(self, features, outputs):
        super().__init__()
        self.body = torch.nn.Linear(features, 4)
        self.head = torch.nn.Linear(4, outputs)
        self.still = torch.nn.Parameter(torch.ones(1), requires_grad=False)

    def forward(self, x):
        return self.head(torch.tanh(self.body(x))) * self.still


class TorchCommand(AppTest):
    def setUp(self):
        super().setUp()
        torch.manual_seed(1)
        random = numpy.random.default_rng(5)
        lines, held_out = [], []
        for node in "abcd":
            for r in range(60):
                x = random.normal(size=2)
                y = (x[0] * x[1] > 0) == (node in "ab")
                (lines if r < 40 else held_out).append(f"{node},{'same' if y else 'other'},{x[0]},{x[1]}\n")
        self.write("data.csv", "node,y,x1,x2\n" + "".join(lines))
        self.write("heldout.csv", "node,y,x1,x2\n" + "".join(held_out))
        self.write("edges.csv", "source,target,weight\na,b,1\nc,d,1\nb,c,0.001\nd,quiet,1\n")
        self.files = ["--data", "data.csv", "--edges", "edges.csv", "--out", "out"]

    def save(self, module, name="net.pt"):
        torch.jit.script(module).save(str(self.folder / name))
        return ["--model", "torchscript", "--module", name]

    def net(self, *arguments, expect=4, iterations=30):
        return self.solve(*self.files, "--lambda", "0.1", "--max-iterations", iterations, *arguments, expect=expect)

    def test_a_module_learns_and_its_result_can_be_evaluated_anywhere(self):
        done = self.net(*self.save(Net(2, 2)))
        self.assertIn("not convex, hence no certificate", done.stdout)
        summary = self.summary()
        self.assertEqual(summary["certificate"]["kind"], "none-nonconvex")
        self.assertEqual(summary["dimension"], 2 * 4 + 4 + 4 * 2 + 2)
        (self.folder / "net.pt").unlink()  # the result keeps its own copy
        done = self.gtvmin("evaluate", "out", "--data", "heldout.csv", "--json")
        self.assertLess(json.loads(done.stdout)["labels"]["misclassification_rate"], 0.25)

    def test_without_a_limit_it_trains_for_fifty_iterations_and_predicts_for_a_new_node_too(self):
        done = self.solve(*self.files, "--model", "mlp", "--hidden", "4", "--lambda", "0.1", expect=4)
        self.assertIn("completed the iterations that were asked for", done.stdout)
        self.assertEqual(self.summary()["iterations"], 50)
        self.write("new.csv", "node,x1,x2\na,1,1\nfresh,1,1\n")
        self.write("more.csv", "source,target\nfresh,a\n")
        self.gtvmin("predict", "out", "--data", "new.csv", "--edges", "more.csv", "--out", "p.csv")
        known, fresh = self.rows("p.csv")
        self.assertEqual({**known, "node": ""}, {**fresh, "node": ""})  # one neighbour: its parameters
        self.assertEqual(known["prediction"], "same")

    def test_parameters_are_those_of_pytorch(self):
        module = Net(2, 2)
        self.net(*self.save(module))
        with open(self.folder / "out/parameters.csv", newline="", encoding="utf-8") as file:
            header, first, *_ = csv.reader(file)
        self.assertEqual(header[1:3], ["body.weight[0,0]", "body.weight[0,1]"])
        self.assertEqual(header[-1], "head.bias[1]")
        values = iter(map(float, first[1:]))
        with torch.no_grad():
            for name, parameter in module.named_parameters():
                if parameter.requires_grad:
                    parameter.copy_(torch.tensor([next(values) for _ in range(parameter.numel())]).view_as(parameter))
        rows = [row for row in self.rows("data.csv") if row["node"] == "a"]
        x = torch.tensor([[float(row["x1"]), float(row["x2"])] for row in rows])
        y = torch.tensor([0 if row["y"] == self.summary()["classes"][0] else 1 for row in rows])
        loss = torch.nn.functional.cross_entropy(module(x), y).item()
        self.assertAlmostEqual(loss, float(self.rows("out/nodes.csv")[0]["loss"]), places=5)

    def test_a_mask_keeps_the_head_private(self):
        self.net(*self.save(Net(2, 2)), "--couple", "body.*")
        summary = self.summary()
        self.assertEqual(summary["dimension"], 12)
        parameters = self.rows("out/parameters.csv")
        self.assertEqual(len(parameters[0]), 1 + 22)
        self.assertNotEqual(parameters[0]["head.bias[0]"], parameters[1]["head.bias[0]"])
        self.gtvmin("evaluate", "out", "--data", "heldout.csv")

    def test_the_node_without_data_follows_its_neighbour(self):
        self.net("--model", "mlp", "--hidden", "8", "--intercept", iterations=60)
        parameters = {row.pop("node"): numpy.array(list(map(float, row.values()))) for row in self.rows("out/parameters.csv")}
        self.assertLess(numpy.linalg.norm(parameters["quiet"] - parameters["d"]), 0.3 * numpy.linalg.norm(parameters["d"]))
        done = self.gtvmin("evaluate", "out", "--data", "heldout.csv", "--json")
        self.assertLess(json.loads(done.stdout)["labels"]["misclassification_rate"], 0.25)

    def test_results_do_not_depend_on_threads_and_shards_but_on_the_seed(self):
        mlp = ["--model", "mlp", "--hidden", "3", "--force"]
        self.net(*mlp, "--threads", "1", iterations=5)
        first = self.read("out/parameters.csv")
        self.net(*mlp, "--threads", "2", "--shards", "2", iterations=5)
        self.assertEqual(self.read("out/parameters.csv"), first)
        self.net(*mlp, "--seed", "1", iterations=5)
        self.assertNotEqual(self.read("out/parameters.csv"), first)

    def test_a_checkpoint_belongs_to_what_its_module_holds(self):
        saved = ["--polish", "off", "--checkpoint", "saved", "--checkpoint-every", "1", "--force"]
        module = self.save(Net(2, 2))
        self.net(*module, *saved, iterations=2)
        self.net(*module, *saved, iterations=3)
        self.save(Net(2, 2))  # other weights to start from
        self.assertIn("other data or other options", self.net(*module, *saved, iterations=4, expect=3).stderr)

    def test_every_loss_of_a_module_runs(self):
        self.write("data.csv", "node,y,x1,x2\n" + "".join(f"{'ab'[r % 2]},{r % 3 % 2},{r},{r * r % 7}\n" for r in range(20)))
        self.write("edges.csv", "source,target\na,b\n")
        for loss in ["binary-cross-entropy", "mse", "l1", "huber", "poisson"]:
            with self.subTest(loss=loss):
                self.net(*self.save(Net(2, 1)), "--module-loss", loss, "--force", "--standardize", iterations=5)
                self.gtvmin("evaluate", "out", "--data", "data.csv")

    def test_every_optimizer_runs(self):
        for optimizer in ["sgd", "adam", "rmsprop", "lbfgs"]:
            with self.subTest(optimizer=optimizer):
                self.net("--model", "mlp", "--optimizer", optimizer, "--steps", "5", "--force", iterations=5)

    def fails(self, code, *arguments):
        done = self.net(*arguments, expect=code)
        self.assertFalse((self.folder / "out").exists())
        return done.stderr

    def test_bad_modules_are_refused_with_their_name(self):
        self.assertIn("nowhere.pt: there is no such file", self.fails(3, "--model", "torchscript", "--module", "nowhere.pt"))
        self.write("text.pt", "not a module")
        self.assertIn("text.pt: not a TorchScript module", self.fails(3, "--model", "torchscript", "--module", "text.pt"))
        self.assertIn("net.pt: for 1 samples its outputs have the shape [1, 3]; one score for each of the 2 classes, [1, 2]",
                      self.fails(3, *self.save(Net(2, 3))))
        self.assertIn("net.pt: it cannot be run on 1 sample with 2 features: ", self.fails(3, *self.save(Net(5, 2))))
        self.assertIn("net.pt: the module has no parameters", self.fails(3, *self.save(torch.nn.ReLU())))

    def test_a_module_that_is_random_is_refused(self):
        net = torch.nn.Sequential(torch.nn.Linear(2, 64), torch.nn.Dropout(0.5), torch.nn.Linear(64, 2)).train()
        torch.jit.trace(net, torch.ones(1, 2), check_trace=False).save(str(self.folder / "net.pt"))
        self.assertIn("different outputs", self.fails(3, "--model", "torchscript", "--module", "net.pt"))

    def test_a_loss_that_is_not_finite_is_refused_with_the_node(self):
        self.write("data.csv", "node,y,x1,x2\na,1,0,0\na,0,1,1\nb,1,1e300,1\nb,0,0,0\n")
        self.write("edges.csv", "source,target\na,b\n")
        self.assertIn("node 'b': before training its loss is", self.fails(3, "--model", "mlp"))

    def test_wrong_options_are_usage_errors(self):
        self.assertIn("needs --module", self.fails(2, "--model", "torchscript"))
        self.assertIn("--module needs --model torchscript", self.fails(2, "--module", "x.pt"))
        self.assertIn("--hidden: '0' is not a whole number", self.fails(2, "--model", "mlp", "--hidden", "0"))
        self.assertIn("no parameter matches 'tail.*'", self.fails(2, *self.save(Net(2, 2)), "--couple", "tail.*"))
        self.assertIn("leave the intercept out", self.fails(2, *self.save(Net(2, 2)), "--intercept"))
        self.fails(2, "--model", "mlp", "--optimizer", "magic")

    def test_one_class_is_not_enough(self):
        self.write("data.csv", "node,y,x1,x2\na,1,0,0\nb,1,1,1\n")
        self.write("edges.csv", "source,target\na,b\n")
        self.assertIn("data.csv: the labels name 1 class", self.fails(3, "--model", "mlp"))
