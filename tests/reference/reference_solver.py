"""High-accuracy minimisers of the GTV objective that share nothing with gtvmin: interior points and dense algebra.

F(w) = sum_i L_i(w_i) + lambda sum_e A_e phi(w_a - w_b). The value of a point is always computed from the samples, so
every returned objective is an upper bound on the optimum, whatever the accuracy of the solver that found the point.
"""

import cvxopt
import numpy as np

cvxopt.solvers.options.update(show_progress=False, abstol=1e-13, reltol=1e-12, feastol=1e-12, maxiters=100,
                              refinement=2)


class Samples:
    """The samples of one node, already with the intercept column: x (m, d) and y (m) or, for points, x = the points."""

    def __init__(self, x, y):
        self.x = x
        self.y = y


def phi(penalty, q, v):
    if penalty == "l2":
        return float(np.sqrt(v @ v))
    if penalty == "l1":
        return float(np.abs(v).sum())
    if penalty == "linf":
        return float(np.abs(v).max())
    if penalty == "squared_l2":
        return 0.5 * float(v @ v)
    return 0.5 * float(v @ (q @ v))


class Objective:
    """samples[i] is a Samples or None; edges are (a, b, weight) with node indices."""

    def __init__(self, model, penalty, q, lam, mean, ridge, intercept, dimension, samples, edges):
        self.model, self.penalty, self.q, self.lam = model, penalty, q, lam
        self.d, self.samples, self.edges = dimension, samples, edges
        self.ridge = np.full(dimension, ridge)
        if intercept:
            self.ridge[-1] = 0.0
        self.scale = [1.0 / len(s.x) if (s is not None and mean) else 1.0 for s in samples]

    def loss_of(self, i, w):
        value = float(self.ridge @ (w * w))
        s = self.samples[i]
        if s is None:
            return value
        if self.model == "linear":
            value += self.scale[i] * float(((s.x @ w - s.y) ** 2).sum())
        elif self.model == "point":
            value += self.scale[i] * float(((s.x - w) ** 2).sum())
        else:
            value += self.scale[i] * float(np.logaddexp(0.0, -s.y * (s.x @ w)).sum())
        return value

    def loss(self, w):
        return sum(self.loss_of(i, w[i]) for i in range(len(w)))

    def gtv(self, w):
        return sum(weight * phi(self.penalty, self.q, w[a] - w[b]) for a, b, weight in self.edges)

    def value(self, w):
        return self.loss(w) + self.lam * self.gtv(w)

    def fog(self, w):
        """What rounding of the data alone makes of the objective: below this two values of F(w) are the same."""
        total = 0.0
        for i, s in enumerate(self.samples):
            if s is None or self.model == "logistic":
                continue
            if self.model == "linear":
                off = np.abs(s.x @ w[i] - s.y)
                total += self.scale[i] * float(off @ (np.abs(s.x) @ np.abs(w[i]) + np.abs(s.y)))
            else:
                total += self.scale[i] * float((np.abs(s.x - w[i]) * (np.abs(s.x) + np.abs(w[i]))).sum())
        for a, b, weight in self.edges:
            v = w[a] - w[b]
            if self.penalty == "quadratic":
                total += self.lam * weight * float(np.abs(v) @ (np.abs(self.q) @ np.abs(v)))
            elif self.penalty != "squared_l2":
                total += self.lam * weight * float((np.abs(w[a]) + np.abs(w[b])).sum())
        return 16 * np.finfo(float).eps * (total + self.loss(w))

    def second_order(self, i, w):
        """(H, g) of the loss of node i at w: the gradient and the Hessian, exact everywhere for linear and point."""
        h = np.diag(2 * self.ridge)
        g = 2 * self.ridge * w
        s = self.samples[i]
        if s is None:
            return h, g
        c = self.scale[i]
        if self.model == "linear":
            return h + 2 * c * s.x.T @ s.x, g + 2 * c * s.x.T @ (s.x @ w - s.y)
        if self.model == "point":
            return h + 2 * c * len(s.x) * np.eye(self.d), g + 2 * c * (w - s.x).sum(axis=0)
        margin = s.y * (s.x @ w)
        p = np.exp(-np.logaddexp(0.0, margin))
        return h + c * (s.x * (p * (1 - p))[:, None]).T @ s.x, g - c * s.x.T @ (s.y * p)

    def components(self):
        label = list(range(len(self.samples)))

        def root(i):
            while label[i] != i:
                label[i] = label[label[i]]
                i = label[i]
            return i

        if self.lam > 0:
            for a, b, _ in self.edges:
                label[root(a)] = root(b)
        groups = {}
        for i in range(len(label)):
            groups.setdefault(root(i), []).append(i)
        return list(groups.values())


class Reference:
    """A point w, its objective, and how far above the optimum it may still be by the reference's own account."""

    def __init__(self, w, objective, slack):
        self.w, self.objective, self.slack = w, objective, slack


def flat_directions(objective):
    """Rows z with F(w + t z) = F(w): constant on a component and invisible to every sample there (no ridge)."""
    n, d = len(objective.samples), objective.d
    rows = []
    for nodes in objective.components():
        stack = [np.diag(np.sqrt(objective.ridge))]
        for i in nodes:
            s = objective.samples[i]
            if s is not None:
                stack.append(np.eye(d) if objective.model == "point" else s.x)
        matrix = np.vstack(stack)
        column = np.abs(matrix).max(axis=0)
        column[column == 0] = 1.0
        _, sigma, vt = np.linalg.svd(matrix / column)
        rank = int((sigma > 1e-11 * max(sigma.max(), 1e-300)).sum())
        for v in vt[rank:]:
            z = np.zeros((n, d))
            z[nodes] = v / column / np.linalg.norm(v / column)
            rows.append(z.ravel())
    return rows


def variables_of_nodes(objective):
    """Every coordinate of every node its own variable."""
    return np.arange(len(objective.samples) * objective.d).reshape(-1, objective.d)


def fused_variables(objective, w, threshold):
    """Joins what an edge holds together at w up to the threshold: whole nodes, for l1 each coordinate by itself."""
    d = objective.d
    label = list(range(w.size))

    def root(i):
        while label[i] != i:
            label[i] = label[label[i]]
            i = label[i]
        return i

    for a, b, _ in objective.edges:
        close = np.abs(w[a] - w[b]) <= threshold
        for k in range(d):
            if close[k] if objective.penalty == "l1" else close.all():
                label[root(a * d + k)] = root(b * d + k)
    roots = [root(i) for i in range(w.size)]
    number = {r: j for j, r in enumerate(dict.fromkeys(roots))}
    return np.array([number[r] for r in roots]).reshape(w.shape)


def edge_constraints(objective, variables):
    """(costs of the extra variables, G, h, dims): the epigraph of lambda A_e phi as inequalities over (w, extra)."""
    d, size = objective.d, variables.max() + 1
    l1 = objective.penalty == "l1"
    cost = []
    rows, columns, values = [], [], []
    row = 0

    def put(r, c, v):
        rows.append(r), columns.append(int(c)), values.append(v)

    cones = 0
    for a, b, weight in objective.edges:
        apart = [k for k in range(d) if variables[a, k] != variables[b, k]]
        if not apart:
            continue
        if objective.penalty == "l2":
            put(row, size + len(cost), -1.0)
            for k in range(d):
                put(row + 1 + k, variables[a, k], -1.0), put(row + 1 + k, variables[b, k], 1.0)
            row += d + 1
            cones += 1
            cost.append(objective.lam * weight)
            continue
        for k in apart:
            for sign in (1.0, -1.0):
                put(row, variables[a, k], sign), put(row, variables[b, k], -sign)
                put(row, size + len(cost), -1.0)
                row += 1
            if l1 or k == apart[-1]:
                cost.append(objective.lam * weight)
    g = cvxopt.spmatrix(values, rows, columns, (row, size + len(cost)))
    dims = {"l": 0 if cones else row, "q": [d + 1] * cones, "s": []}
    return np.array(cost), g, cvxopt.matrix(0.0, (row, 1)), dims


def cone_program(*arguments):
    try:
        return cvxopt.solvers.coneqp(*arguments)
    except (ArithmeticError, ValueError):
        return cvxopt.solvers.coneqp(*arguments, kktsolver="ldl")


def solve_model(objective, w0, flat, variables):
    """The minimiser of the second-order model of the losses at w0 plus the penalties, by cvxopt; (w, slack).

    cvxopt's tolerances are absolute near 0, so objective and variables are handed over in units that make both about 1.
    """
    n, d = w0.shape
    unit = max(objective.value(w0), 1e-16 * objective.value(np.zeros_like(w0)))
    length = np.abs(w0).max() or 1.0
    cost, g, h, dims = edge_constraints(objective, variables)
    free = variables.max() + 1
    size = int(free + len(cost))
    rows, columns, values = [], [], []
    q = np.concatenate([np.zeros(free), cost])
    for i in range(n):
        hess, grad = objective.second_order(i, w0[i])
        np.add.at(q, variables[i], grad - hess @ w0[i])
        for k in range(d):
            for j in range(d):
                if hess[k, j] != 0.0:
                    rows.append(int(variables[i, k])), columns.append(int(variables[i, j])), values.append(hess[k, j])
    p = cvxopt.spmatrix(values, rows, columns, (size, size)) * (length * length / unit)
    q *= length / unit
    a = np.zeros((len(flat), size))
    for r, z in enumerate(flat):
        np.add.at(a[r], variables.ravel(), z)
    result = cone_program(p, cvxopt.matrix(q), g, h, dims, cvxopt.matrix(a), cvxopt.matrix(0.0, (len(flat), 1)))
    w = length * np.array(result["x"]).ravel()[variables]
    gap = result["gap"]
    return w, unit * abs(gap) if gap is not None else np.inf


def solve_smooth(objective, w0, q):
    """The minimiser of the model of the losses at w0 plus the penalty v'Qv/2: one least-squares system."""
    n, d = w0.shape
    matrix = np.zeros((n * d, n * d))
    right = np.zeros(n * d)
    for i in range(n):
        block = slice(i * d, (i + 1) * d)
        hess, grad = objective.second_order(i, w0[i])
        matrix[block, block] += hess
        right[block] = hess @ w0[i] - grad
    for a, b, weight in objective.edges:
        ra, rb = slice(a * d, (a + 1) * d), slice(b * d, (b + 1) * d)
        piece = objective.lam * weight * q
        matrix[ra, ra] += piece
        matrix[rb, rb] += piece
        matrix[ra, rb] -= piece
        matrix[rb, ra] -= piece
    scale = 1 / np.sqrt(np.maximum(np.diag(matrix), 1e-300))
    scale[np.diag(matrix) == 0] = 1.0
    scaled = matrix * scale * scale[:, None]
    x = scale * np.linalg.lstsq(scaled, scale * right, rcond=1e-14)[0]
    x += scale * np.linalg.lstsq(scaled, scale * (right - matrix @ x), rcond=1e-14)[0]
    return x.reshape(n, d)


def solve_locally(objective, w0):
    w = np.zeros_like(w0)
    for i in range(len(w0)):
        hess, grad = objective.second_order(i, w0[i])
        w[i] = w0[i] - np.linalg.lstsq(hess, grad, rcond=1e-14)[0]
    return w


def solve_reference(objective, iterations=60):
    n, d = len(objective.samples), objective.d
    w = np.zeros((n, d))
    smooth = objective.penalty in ("squared_l2", "quadratic")
    local = objective.lam == 0 or not objective.edges
    if not smooth and not local:
        flat = flat_directions(objective)

    def step(w0):
        if local:
            return solve_locally(objective, w0), 0.0
        if smooth:
            q = np.eye(d) if objective.penalty == "squared_l2" else objective.q
            return solve_smooth(objective, w0, q), 0.0
        return solve_model(objective, w0, flat, variables_of_nodes(objective))

    value = objective.value(w)
    if value == 0:
        return Reference(w, 0.0, 0.0)
    guess = solve_smooth(objective, w, np.eye(d))
    if objective.value(guess) < value:
        w, value = guess, objective.value(guess)
    slack = np.inf
    for iteration in range(iterations):
        try:
            target, gap = step(w)
        except (ArithmeticError, ValueError):
            break
        t = 1.0
        while t > 1e-10 and not objective.value(w + t * (target - w)) < value:
            t *= 0.5
        if t <= 1e-10:
            slack = min(slack, gap)
            break
        moved = w + t * (target - w)
        decrease = value - objective.value(moved)
        w, value = moved, objective.value(moved)
        slack = gap if objective.model != "logistic" else gap + decrease
        if objective.model != "logistic" and iteration == 3:
            break
        if t == 1.0 and decrease <= 1e-14 * abs(value):
            break
    if not smooth and not local:
        w, value = refine_by_fusing(objective, w, value, flat)
    return Reference(w, value, slack)


def refine_by_fusing(objective, w, value, flat):
    """Interior points leave fused edges a little open; closing the right ones gives the remaining digits."""
    size = np.abs(w).max()
    for threshold in (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8):
        variables = fused_variables(objective, w, threshold * size)
        try:
            if variables.max() + 1 < w.size:
                target, _ = solve_model(objective, w, flat, variables)
            else:
                break
        except (ArithmeticError, ValueError):
            continue
        if objective.value(target) < value:
            w, value = target, objective.value(target)
    return w, value
