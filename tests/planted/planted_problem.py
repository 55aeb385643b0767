"""Seeded random problems with a known optimum, built backwards from the optimality conditions.

Parameters w, slopes p of the samples' losses and flows u come first. Features, labels and edge weights follow, so that
  sum over the samples of node i of (share_i p x) + 2 ridge w_i + (D^T u)_i = 0   exactly, in rational numbers;
  p is a subgradient of the sample's loss at x·w                                  up to the rounding of a label;
  norm penalties: ||u_e||_* <= kappa_e; inside a cluster with slack, between clusters aligned with the difference;
  squared_l2: u_e = kappa_e (w_i - w_j)                                           up to the rounding of w.
So the optimum lies between the dual value of (p, u) and F(w), which agree to about 15 digits
(`exact_objective.planted_gap`), and for norm penalties the planted clusters are those of every optimum.
"""

import copy
import math
import random
from decimal import Decimal
from fractions import Fraction

import exact_objective
from exact_objective import LINEAR, NORMS, dual_norm
from planted_graphs import FORESTS, GRAPHS, connected_groups, grow_regions, parents_first
from planted_samples import Infeasible, PlantedSamples, Sample

LOSSES = ("squared", "absolute", "huber", "logistic", "poisson", "point")
PENALTIES = ("l2", "l1", "linf", "squared_l2")
METHODS = ((), ("--accelerators", "none"), ("--accelerators", "newton"))
COMBINATIONS = len(LOSSES) * len(PENALTIES) * len(METHODS)


class Edge:
    def __init__(self, i, j, weight=None, u=None):
        self.i, self.j, self.weight, self.u = i, j, weight, u


class PlantedProblem(PlantedSamples):
    def __init__(self, seed, nodes=None):
        """Seed s has the loss, penalty and method of number s modulo COMBINATIONS; the rest is drawn.

        Without `nodes`: up to 18 nodes, scales and weights of many magnitudes in a third of the seeds.
        """
        self.seed = seed
        self.loss = LOSSES[seed % len(LOSSES)]
        self.penalty = PENALTIES[seed // len(LOSSES) % len(PENALTIES)]
        self.method = METHODS[seed // len(LOSSES) // len(PENALTIES) % len(METHODS)]
        self.norm = self.penalty in NORMS
        self.sample_kind = "squared" if self.loss == "point" else self.loss
        self.discrete = self.loss in ("logistic", "poisson")  # labels are classes or counts
        self.rng = random.Random(f"{seed} {nodes}")
        self.draw_options(nodes)
        for attempt in range(80):
            try:
                self.plant(nodes, 0.6 ** attempt)
                break
            except Infeasible:
                continue
        else:
            raise AssertionError(f"seed {seed}: no feasible draw")

    # ---- what is drawn once ----

    def draw_options(self, nodes):
        rng = self.rng
        self.wild = nodes is None and rng.random() < 0.33
        self.d = rng.randint(1, 4) if nodes is None else rng.randint(1, 3)
        # The loss of a large graph of logistic nodes is seldom balanced by one sample per private parameter.
        may_be_private = self.loss not in ("absolute", "point") and not (nodes and self.loss == "logistic")
        self.private = self.d > 1 and may_be_private and rng.random() < 0.2
        self.coupled = self.d - 1 if self.private else self.d
        self.mean = rng.random() < 0.6
        self.ridge = 0.0
        span = (lambda s: 10 ** rng.uniform(-s, s)) if self.wild else (lambda s: 10 ** rng.uniform(-0.3, 0.3))
        # Squares of labels and features of wild scales stay far from the limits of a double.
        self.column = [1.0 if self.loss == "point" else span(2 if self.discrete else 4) for _ in range(self.d)]
        self.label_scale = 1.0 if self.discrete else span(8)
        self.delta = self.label_scale * 10 ** rng.uniform(-1, 0.5) if self.loss == "huber" else 1.0
        self.lam = 10 ** (rng.uniform(-6, 4) if self.wild else rng.uniform(-3, 2))
        self.collinear = self.wild and self.loss == "squared" and self.d > 1 and rng.random() < 0.3
        self.slope_scale = {"squared": self.label_scale, "huber": self.delta}.get(self.sample_kind, 0.5)
        c = self.typical_column = math.exp(sum(map(math.log, self.column[:self.coupled])) / self.coupled)
        if rng.random() < 0.25:
            self.ridge = 0.1 * self.slope_scale / self.label_scale * c * c * span(1)
        self.full_ridge = self.ridge
        self.tol = rng.choice(["1e-3", "1e-6", "1e-6", "1e-9", "1e-9"])
        self.graph = rng.choice(sorted(GRAPHS))

    # ---- graph, parameters, flows, data ----

    def plant(self, nodes, cut_scale):
        rng = self.rng
        self.draw_graph(nodes)
        n = self.n
        self.w = [None] * n
        self.samples = [[] for _ in range(n)]
        self.held = {}  # node -> its sample that balances the private parameter
        self.cut_scale = cut_scale
        self.ridge = self.full_ridge * (cut_scale if self.discrete else 1.0)
        if self.norm:
            self.region = grow_regions(rng, n, self.pairs, 4 if n < 50 else 8)
            for i in self.dead:
                self.region[i] = min(self.region[k] for k in self.dead)
        else:
            self.region = connected_groups(n, self.pairs)
        self.cells = [[i for i in range(n) if self.region[i] == r] for r in range(max(self.region) + 1)]
        self.edges = [Edge(i, j) for i, j in self.pairs]
        if self.norm:
            self.plant_clusters()
        elif self.graph in FORESTS and self.ridge == 0 and not self.discrete:
            self.plant_along_a_forest()
        else:
            self.plant_gradients()
        for i in range(n) if self.private else ():
            if not self.samples[i]:
                self.w[i][-1] = 0.0
        self.place_labels()
        self.clusters = connected_groups(n, [(e.i, e.j) for e in self.edges if self.region[e.i] == self.region[e.j]])
        self.optimum = exact_objective.objective(self, self.w)
        self.at_zero = exact_objective.objective(self, [[0.0] * self.d] * n)
        self.gap = exact_objective.planted_gap(self)
        if self.gap > Decimal("1e-12") * self.optimum + Decimal("1e-15") * self.at_zero:
            raise Infeasible

    def draw_graph(self, nodes):
        rng = self.rng
        parts = rng.choice([1, 1, 2, 3]) if nodes is None else rng.choice([1, 2])
        self.n, self.pairs, self.dead = 0, [], set()
        for _ in range(parts):
            size = rng.randint(1, 12 if parts == 1 else 6) if nodes is None else nodes // parts
            self.add_part(GRAPHS[self.graph](rng, size), size)
        if not self.pairs:
            self.add_part([(0, 1)], 2)
        if rng.random() < 0.05 and self.ridge == 0:  # a part without data: every constant is optimal, the answer is 0
            self.dead = {self.n, self.n + 1}
            self.add_part([(0, 1)], 2)

    def add_part(self, pairs, size):
        self.pairs += [(i + self.n, j + self.n) for i, j in pairs]
        self.n += size

    def draw_parameters(self):
        size = 1.0 / math.sqrt(self.d) if self.discrete else self.label_scale
        return [size * self.rng.gauss(0, 1) / c for c in self.column]

    def choose_data_nodes(self, cell):
        chosen = [i for i in cell if self.rng.random() < 0.65]
        return chosen or [self.rng.choice(cell)]

    def plant_clusters(self):
        rng, d = self.rng, self.coupled
        centre = None
        for cell in self.cells:
            last, centre = centre, self.draw_parameters()
            if last and self.penalty == "l1" and d > 1 and rng.random() < 0.4:
                centre[0] = last[0]  # neighbours that differ in some parameters only
            for i in cell:
                own = self.draw_parameters()[d:] if self.private else []
                self.w[i] = centre[:d] + own if i not in self.dead else [0.0] * self.d
        spanning = [parents_first(cell, self.pairs) for cell in self.cells]
        in_tree = {k for order in spanning for _, _, k in order}
        typical = [self.slope_scale * c for c in self.column[:d]]
        for k, e in enumerate(self.edges):
            if self.region[e.i] != self.region[e.j]:
                self.saturate(e)
            elif k not in in_tree:
                self.set_flow(e, [Fraction(t * rng.gauss(0, 1)) for t in typical])
        for cell, order in zip(self.cells, spanning):
            if self.dead.intersection(cell):
                for _, _, k in order:
                    self.set_flow(self.edges[k], [Fraction(0)] * d)
                continue
            self.close(cell, self.choose_data_nodes(cell))
            self.route(order, self.set_flow)

    def saturate(self, e):
        """A cut edge: kappa times a subgradient of the penalty at the difference."""
        rng, d = self.rng, self.coupled
        spread = rng.uniform(-2, 1) if self.wild else rng.uniform(-1, 0.2)
        e.weight = self.slope_scale * self.typical_column * 10 ** spread * self.cut_scale / self.lam
        kappa = Fraction(self.lam) * Fraction(e.weight)
        v = [Fraction(a) - Fraction(b) for a, b in zip(self.w[e.i][:d], self.w[e.j][:d])]
        sign = [Fraction((x > 0) - (x < 0)) for x in v]
        if self.penalty == "l1":
            e.u = [kappa * (s if s else Fraction(rng.uniform(-0.9, 0.9))) for s in sign]
        elif self.penalty == "linf":
            top = max(range(d), key=lambda a: abs(v[a]))
            e.u = [kappa * sign[a] if a == top else Fraction(0) for a in range(d)]
        else:  # a length below kappa by 1e-50 of it, so that rounding in the last digit is feasible
            length = Fraction(dual_norm("l2", v)) * (1 + Fraction(1, 10 ** 50))
            e.u = [kappa * x / length for x in v]

    def set_flow(self, e, u):
        """An edge inside a cluster: between 5 % and 95 % of its capacity is used."""
        size = float(dual_norm(self.penalty, u))
        typical = self.slope_scale * self.typical_column
        e.u, e.weight = u, (size / self.rng.uniform(0.05, 0.95) if size > 1e-9 * typical else typical) / self.lam

    def demand(self, i):
        """(D^T u)_i of the flows that are known, plus the gradient of the ridge."""
        total = [Fraction(0)] * self.coupled
        if self.ridge:
            total = [2 * Fraction(self.ridge) * Fraction(x) for x in self.w[i][:self.coupled]]
        for e in self.edges:
            if e.u is not None and i in (e.i, e.j):
                total = [t + x if i == e.i else t - x for t, x in zip(total, e.u)]
        return total

    def pull(self, i):
        """The gradient of the samples of node i, coupled parameters."""
        return [self.share(i) * sum(s.p * s.fx[a] for s in self.samples[i]) for a in range(self.coupled)]

    def share(self, i):
        rows = len(self.samples[i]) // (self.d if self.loss == "point" else 1)
        return Fraction(1, rows) if self.mean and rows else Fraction(1)

    def route(self, order, accept):
        """Flows on a spanning tree that balance every node but the root, leaves first; `close` balances the root."""
        need = {}
        for i, parent, _ in order:
            for node in (i, parent):
                if node not in need:
                    need[node] = [a + b for a, b in zip(self.pull(node), self.demand(node))]
        for i, parent, k in reversed(order):
            e = self.edges[k]
            accept(e, [-x if i == e.i else x for x in need[i]])
            need[parent] = [a + b for a, b in zip(need[parent], need[i])]

    def plant_along_a_forest(self):
        """squared_l2: slopes first, then the flows that balance them, then differences u / kappa."""
        for cell in self.cells:
            order = parents_first(cell, self.pairs)
            root = cell[0]
            self.w[root] = self.draw_parameters() if root not in self.dead else [0.0] * self.d
            if not self.dead.intersection(cell):
                self.close(cell, self.choose_data_nodes(cell))

            def accept(e, u):
                e.u, e.weight = u, self.smooth_weight()

            self.route(order, accept)
            for i, parent, k in order:
                e = self.edges[k]
                kappa = Fraction(self.lam) * Fraction(e.weight)
                step = [x / kappa if i == e.i else -x / kappa for x in e.u]
                self.w[i] = [float(Fraction(a) + b) for a, b in zip(self.w[parent], step)]
                if self.private:
                    self.w[i] += self.draw_parameters()[self.coupled:]

    def smooth_weight(self):
        c = self.typical_column
        return self.slope_scale / self.label_scale * c * c * 10 ** self.rng.uniform(-1, 0) * self.cut_scale / self.lam

    def plant_gradients(self):
        """squared_l2: parameters, then flows, then samples at every node except some leaves, which copy a neighbour."""
        rng, d = self.rng, self.coupled
        for i in range(self.n):
            self.w[i] = self.draw_parameters() if i not in self.dead else [0.0] * self.d
        without = set(self.dead)
        for e in self.edges:
            for leaf, other in ((e.i, e.j), (e.j, e.i)):
                alone = sum(leaf in pair for pair in self.pairs) == 1
                if alone and self.ridge == 0 and not {leaf, other} & without and rng.random() < 0.4:
                    without.add(leaf)
                    self.w[leaf] = list(self.w[other])
        for e in self.edges:
            e.weight = self.smooth_weight()
            kappa = Fraction(self.lam) * Fraction(e.weight)
            e.u = [kappa * (Fraction(a) - Fraction(b)) for a, b in zip(self.w[e.i][:d], self.w[e.j][:d])]
        for i in range(self.n):
            if i not in without:
                self.close([i], [i])

    # ---- as files and options ----

    def names(self):
        return [f"n{i}" for i in range(self.n)]

    def data_lines(self):
        columns = [f"x{a}" for a in range(self.d)]
        label = [] if self.loss == "point" else ["y"]
        yield ",".join(["node"] + label + columns)
        for i, rows in enumerate(self.samples):
            if self.loss == "point":
                for k in range(0, len(rows), self.d):
                    yield ",".join([f"n{i}"] + [repr(s.y) for s in rows[k:k + self.d]])
                continue
            for s in rows:
                y = str(int(s.y)) if self.discrete else repr(s.y)
                yield ",".join([f"n{i}", y] + [repr(x) for x in s.x])

    def edge_lines(self):
        yield "source,target,weight"
        for k, e in enumerate(self.edges):
            i, j = (e.i, e.j) if k % 3 else (e.j, e.i)
            yield f"n{i},n{j},{e.weight!r}"

    def options(self):
        model = ["--model", "linear", "--loss", self.loss] if self.loss in LINEAR else ["--model", self.loss]
        model += ["--huber-delta", repr(self.delta)] if self.loss == "huber" else []
        couple = ["--couple", ",".join(f"x{a}" for a in range(self.coupled))] if self.private else []
        return model + couple + ["--penalty", self.penalty, "--lambda", repr(self.lam), "--ridge", repr(self.ridge),
                                 "--normalize", "mean" if self.mean else "sum"]

    def in_other_units(self, features, labels, weights):
        """The same problem with features, labels and weights times powers of two, and lambda and ridge to match."""
        other = copy.copy(self)
        power = 1 if self.norm else 2
        objective_power = {"squared": 2, "huber": 2, "absolute": 1}.get(self.sample_kind, 0)
        if self.loss == "point":
            features = 0
        if self.discrete:
            labels = 0
        other.samples = [[Sample([x * 2.0 ** features for x in s.x], s.y * 2.0 ** labels) for s in rows]
                         for rows in self.samples]
        other.edges = [Edge(e.i, e.j, e.weight * 2.0 ** weights) for e in self.edges]
        other.delta = self.delta * 2.0 ** labels
        other.lam = self.lam * 2.0 ** (power * (features - labels) + objective_power * labels - weights)
        other.ridge = self.ridge * 2.0 ** (2 * (features - labels) + objective_power * labels)
        other.w = [[x * 2.0 ** (labels - features) for x in row] for row in self.w]
        other.objective_factor = 2.0 ** (objective_power * labels)
        return other
