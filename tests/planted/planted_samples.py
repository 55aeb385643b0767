"""Samples whose gradients balance given flows: the part of a planted problem that knows the losses."""

import math
from decimal import Decimal
from fractions import Fraction

from exact_objective import in_domain


class Infeasible(Exception):
    """No features or slopes give the gradient that the flows ask for; another draw may."""


class Sample:
    def __init__(self, x, y=0.0, p=None):
        self.p = p
        self.set(x, y)

    def set(self, x, y):
        self.x, self.y = x, y
        self.fx, self.dx, self.dy = [Fraction(v) for v in x], [Decimal(v) for v in x], Decimal(y)


def least_norm(rows, target):
    """The p of least norm with sum_r p_r rows[r] = target, in rational numbers."""
    d = len(target)
    system = [[sum(r[a] * r[b] for r in rows) for b in range(d)] + [target[a]] for a in range(d)]
    for a in range(d):
        pivot = next((b for b in range(a, d) if system[b][a] != 0), None)
        if pivot is None:
            raise Infeasible
        system[a], system[pivot] = system[pivot], system[a]
        for b in range(a + 1, d):
            factor = system[b][a] / system[a][a]
            system[b] = [x - factor * y for x, y in zip(system[b], system[a])]
    v = [Fraction(0)] * d
    for a in reversed(range(d)):
        v[a] = (system[a][d] - sum(system[a][b] * v[b] for b in range(a + 1, d))) / system[a][a]
    return [sum(x * y for x, y in zip(r, v)) for r in rows]


def root_of_increasing(f, value, high):
    """The x in [0, high] with f(x) = value, by bisection."""
    low = 0.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if f(middle) < value else (low, middle)
    return high


class PlantedSamples:
    """Methods of PlantedProblem; its fields are described there."""

    def features(self):
        row = [self.rng.gauss(0, 1) for _ in range(self.d)]
        if self.collinear:
            row[1] = row[0] * (1 + 1e-4 * self.rng.gauss(0, 1))
        return [x * c for x, c in zip(row, self.column)]

    def slope_limit(self):
        return {"absolute": 1.0, "huber": 2 * self.delta}.get(self.sample_kind)

    def random_slope(self):
        limit = self.slope_limit()
        if limit is None:
            return Fraction(self.label_scale * self.rng.gauss(0, 1))
        saturated = self.rng.random() < 0.4
        return Fraction(limit * (self.rng.choice([-1.0, 1.0]) if saturated else self.rng.uniform(-0.9, 0.9)))

    def draw_samples(self, slope):
        """One row of the data file: a sample, or for points one sample per coordinate; slope() gives the slopes."""
        if self.loss != "point":
            return [Sample(self.features(), p=slope())]
        return [Sample([1.0 if b == a else 0.0 for b in range(self.d)], p=slope()) for a in range(self.d)]

    def close(self, cell, with_data):
        """Samples at these nodes of the cell whose gradients add up to minus the demand of the whole cell."""
        rng = self.rng
        if self.discrete:
            return self.close_by_features(cell, with_data)
        free = []
        for i in with_data:
            for _ in range(rng.randint(0 if len(with_data) > 1 else 1, self.d + 1)):
                self.samples[i] += self.draw_samples(self.random_slope)
        for _ in range(1 if self.loss == "point" else self.coupled + rng.randint(0, 2)):
            i = rng.choice(with_data)
            new = self.draw_samples(Fraction)
            self.samples[i] += new
            free += [(i, s) for s in new]
        self.hold_private(with_data)
        target = self.missing(cell)
        slopes = least_norm([[self.share(i) * x for x in s.fx[:self.coupled]] for i, s in free], target)
        grow = 1.0
        while self.slope_limit() and max(map(abs, slopes)) > grow * 0.9 * self.slope_limit():
            grow *= 2
        for (i, s), p in zip(free, slopes):
            s.p = p / Fraction(grow)
            s.set([x * grow for x in s.x], s.y)
        self.balance_private(with_data)

    def missing(self, cell):
        """What the gradients of the samples of the cell lack to balance its flows and its ridge."""
        rows = [self.pull(i) for i in cell] + [self.demand(i) for i in cell]
        return [-sum(column) for column in zip(*rows)]

    def hold_private(self, with_data):
        for i in with_data if self.private else ():
            if not self.samples[i] and self.rng.random() < 0.5:
                continue
            self.held[i] = Sample([0.0] * self.d, p=Fraction(0))
            self.samples[i].append(self.held[i])

    def balance_private(self, with_data):
        for i in with_data if self.private else ():
            if i not in self.held:
                continue
            held, c = self.held[i], self.column[-1]
            ridge = 2 * Fraction(self.ridge) * Fraction(self.w[i][-1]) / self.share(i) if self.ridge else 0
            need = -ridge - sum(s.p * s.fx[-1] for s in self.samples[i])
            y = 0.0
            if need == 0 and self.discrete:
                held.set([0.0] * self.d, 1.0)
                held.p = Fraction(self.slope_at(0.0, 1.0))
                continue
            if self.discrete:
                c, y = self.compensation(float(abs(need)), math.copysign(1, need) * self.w[i][-1])
                c = math.copysign(c, c * need)
            elif self.slope_limit():
                c = max(c, float(abs(need)) / (0.8 * self.slope_limit()))
            held.set([0.0] * (self.d - 1) + [c], y)
            held.p = need / Fraction(c)

    def place_labels(self):
        """Residuals at which the slopes are subgradients. A label is rounded; slopes and flows stay exact."""
        if self.discrete:
            return
        limit = self.slope_limit()
        for i, rows in enumerate(self.samples):
            for s in rows:
                if limit is not None and abs(s.p) == Fraction(limit):
                    start, unit = (self.delta, self.delta) if self.loss == "huber" else (0.0, self.label_scale)
                    r = Fraction(math.copysign(start + unit * self.rng.expovariate(1), s.p))
                else:
                    r = s.p / 2 if self.sample_kind != "absolute" else Fraction(0)
                s.set(s.x, float(sum(a * Fraction(b) for a, b in zip(s.fx, self.w[i])) - r))

    # ---- logistic and Poisson: labels are classes and counts, so features have to give the balance ----

    def slope_at(self, z, y):
        if self.loss == "poisson":
            return math.exp(z) - y
        return -y / (1 + math.exp(y * z))

    def compensation(self, size, score):
        """(c, y) such that the sample c v with label y has the gradient size · v; v is a unit vector, score = v·w."""
        if self.loss == "poisson":
            y = self.rng.randint(2, 6)
            if score < 0:
                while (y - math.e) < size * -score or y < 6:
                    y *= 2
            if y > 1e5:
                raise Infeasible
            high = 1 / -score if score < 0 else size / (y - 1)
            return -root_of_increasing(lambda k: k * (y - math.exp(-k * score)), size, high), float(y)
        if score < 0 and size * -score > 0.27:
            raise Infeasible
        high = 1.27 / -score if score < 0 else 2 * size
        c = root_of_increasing(lambda k: k / (1 + math.exp(-k * score)), size, high)
        return (c, -1.0) if self.rng.random() < 0.5 else (-c, 1.0)

    def close_by_features(self, cell, with_data):
        rng, d = self.rng, self.coupled
        running = 0.0
        for i in with_data:
            for _ in range(rng.randint(1, self.d + 2) + (self.d if len(with_data) == 1 else 0)):
                x = self.features()
                z = sum(a * b for a, b in zip(x, self.w[i]))
                if self.loss == "poisson":
                    y = float(max(0, round(math.exp(z) + rng.gauss(0, 1) * math.exp(z / 2))))
                else:  # a drawn class, or the likely one where gradient · w would grow too large to be balanced
                    positive = z > 0 if running > -0.5 else rng.random() < 1 / (1 + math.exp(-z))
                    y = 1.0 if positive else -1.0
                s = Sample(x, y, Fraction(self.slope_at(z, y)))
                running += float(s.p) * z
                self.samples[i].append(s)
        at = rng.choice(with_data)
        rows = [(i, s) for i in with_data for s in self.samples[i]]
        last = Sample([0.0] * self.d, p=Fraction(0))
        self.samples[at].append(last)
        self.hold_private(with_data)
        need = [float(x / self.share(at)) for x in self.missing(cell)]
        size = math.sqrt(sum(x * x for x in need))
        if size > 0:
            v = [x / size for x in need]
            c, y = self.compensation(size, sum(a * b for a, b in zip(v, self.w[at])))
            last.set([c * x for x in v] + [0.0] * (self.d - d), y)
            last.p = Fraction(self.slope_at(sum(a * b for a, b in zip(last.x, self.w[at])), y))
        else:
            last.set(last.x, 1.0)
            last.p = Fraction(self.slope_at(0.0, 1.0))
        rows.append((at, last))
        rest = least_norm([[self.share(i) * x for x in s.fx[:d]] for i, s in rows], self.missing(cell))
        for (_, s), p in zip(rows, rest):  # rounding of the features: changes slopes in the 16th digit
            s.p += p
            if not in_domain(self.loss, s.p, s.y, None):
                raise Infeasible
        self.balance_private(with_data)
