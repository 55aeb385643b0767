"""Losses, penalties and their conjugates in 60-digit arithmetic: nothing here rounds to a double.

The loss of a sample is a function of the score z = x·w. For a slope p in the domain of its conjugate,
loss(z) + conjugate(p) - p z >= 0, with equality if and only if p is a subgradient at z (Fenchel-Young).
"""

import decimal
from decimal import Decimal
from fractions import Fraction

decimal.getcontext().prec = 60
decimal.getcontext().Emax = decimal.MAX_EMAX
decimal.getcontext().Emin = decimal.MIN_EMIN

NORMS = ("l1", "l2", "linf")
LINEAR = ("squared", "absolute", "huber")  # --model linear --loss ...


def to_decimal(x):
    return Decimal(x.numerator) / Decimal(x.denominator) if isinstance(x, Fraction) else Decimal(x)


def log1p_exp(z):
    """log(1 + exp(z)); exp(-|z|) below 1e-60 counts as 0 next to 1."""
    return max(z, Decimal(0)) + (1 + (-abs(z)).exp()).ln()


def x_log_x(x):
    return x * x.ln() if x > 0 else Decimal(0)


def sample_loss(loss, z, y, delta):
    if loss == "logistic":
        return log1p_exp(-y * z)
    if loss == "poisson":
        return z.exp() - y * z + x_log_x(y) - y
    r = abs(z - y)
    if loss == "absolute":
        return r
    return r * r if loss == "squared" or r <= delta else delta * (2 * r - delta)


def in_domain(loss, p, y, delta):
    """Whether the conjugate of the loss is finite at p; exact for fractions."""
    if loss == "logistic":
        return 0 <= -p * int(y) <= 1
    if loss == "poisson":
        return p + int(y) >= 0
    return loss == "squared" or abs(p) <= (1 if loss == "absolute" else 2 * Fraction(delta))


def fenchel_gap(loss, z, y, p, delta):
    """loss(z) + conjugate(p) - p z of one sample, for p in the domain."""
    if loss == "logistic":
        q = -p * y
        return log1p_exp(-y * z) + x_log_x(q) + x_log_x(1 - q) - p * z
    if loss == "poisson":
        s = p + y
        return z.exp() + x_log_x(s) - s - s * z
    quadratic = p * p / 4 if loss != "absolute" else 0
    return sample_loss(loss, z, y, delta) + quadratic - p * (z - y)


def penalty_value(penalty, v):
    if penalty == "l1":
        return sum(map(abs, v))
    if penalty == "linf":
        return max(map(abs, v))
    squares = sum(x * x for x in v)
    return squares.sqrt() if penalty == "l2" else squares / 2


def dual_norm(penalty, v):
    return penalty_value({"l1": "linf", "linf": "l1", "l2": "l2"}[penalty], [to_decimal(x) for x in v])


def flow_is_feasible(penalty, u, kappa):
    """||u||_* <= kappa, exactly."""
    if penalty == "l1":
        return max(map(abs, u)) <= kappa
    if penalty == "linf":
        return sum(map(abs, u)) <= kappa
    return penalty == "squared_l2" or sum(x * x for x in u) <= kappa * kappa


def dot(a, b):
    return sum((x * y for x, y in zip(a, b)), Decimal(0))


def objective(problem, w):
    """F(w) = sum_i L_i(w_i) + lambda sum_e A_e phi(difference of the coupled parameters), w as doubles."""
    w = [[Decimal(x) for x in row] for row in w]
    delta = Decimal(problem.delta)
    total = Decimal(0)
    for i, rows in enumerate(problem.samples):
        part = sum((sample_loss(problem.sample_kind, dot(s.dx, w[i]), s.dy, delta) for s in rows), Decimal(0))
        total += part * to_decimal(problem.share(i)) + Decimal(problem.ridge) * dot(w[i], w[i])
    for e in problem.edges:
        v = [a - b for a, b in zip(w[e.i][:problem.coupled], w[e.j][:problem.coupled])]
        total += Decimal(problem.lam) * Decimal(e.weight) * penalty_value(problem.penalty, v)
    return total


def planted_gap(problem):
    """F(planted) minus the dual value of the planted slopes and flows: an upper bound on F(planted) - F*.

    Asserts that slopes and flows are feasible and that loss gradients and flows balance exactly at every node.
    """
    d = problem.d
    balance = [[2 * Fraction(problem.ridge) * Fraction(x) for x in row] for row in problem.w]
    gap, delta = Decimal(0), Decimal(problem.delta)
    for i, rows in enumerate(problem.samples):
        share = problem.share(i)
        wd = [Decimal(x) for x in problem.w[i]]
        for s in rows:
            assert in_domain(problem.sample_kind, s.p, s.y, problem.delta), "a planted slope is infeasible"
            gap += to_decimal(share) * fenchel_gap(problem.sample_kind, dot(s.dx, wd), s.dy, to_decimal(s.p), delta)
            for a in range(d):
                balance[i][a] += share * s.p * s.fx[a]
    for e in problem.edges:
        kappa = Fraction(problem.lam) * Fraction(e.weight)
        assert flow_is_feasible(problem.penalty, e.u, kappa), "a planted flow is infeasible"
        ends = zip(problem.w[e.i][:problem.coupled], problem.w[e.j][:problem.coupled])
        v = [Decimal(a) - Decimal(b) for a, b in ends]
        u = [to_decimal(x) for x in e.u]
        conjugate = dot(u, u) / (2 * to_decimal(kappa)) if problem.penalty == "squared_l2" else 0
        gap += to_decimal(kappa) * penalty_value(problem.penalty, v) + conjugate - dot(u, v)
        for a in range(problem.coupled):
            balance[e.i][a] += e.u[a]
            balance[e.j][a] -= e.u[a]
    assert not any(map(any, balance)), "planted gradients and flows do not balance"
    return gap
