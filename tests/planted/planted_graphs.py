"""Random graphs, and connected regions of them."""


def chain(rng, n):
    return [(i, i + 1) for i in range(n - 1)]


def tree(rng, n):
    return [(rng.randrange(i), i) for i in range(1, n)]


def star(rng, n):
    return [(0, i) for i in range(1, n)]


def grid(rng, n):
    width = max(1, int(n ** 0.5))
    right = [(i, i + 1) for i in range(n - 1) if (i + 1) % width]
    return right + [(i, i + width) for i in range(n - width)]


def random_graph(rng, n):
    """A random tree and about n further edges."""
    pairs = set(tree(rng, n))
    for _ in range(n if n > 2 else 0):
        i, j = sorted(rng.sample(range(n), 2))
        pairs.add((i, j))
    return sorted(pairs)


GRAPHS = {"chain": chain, "tree": tree, "star": star, "grid": grid, "random": random_graph}
FORESTS = ("chain", "tree", "star")


def adjacency(n, pairs):
    neighbours = [[] for _ in range(n)]
    for i, j in pairs:
        neighbours[i].append(j)
        neighbours[j].append(i)
    return neighbours


def connected_groups(n, pairs):
    """The number of the group of each node; groups are numbered by their first nodes."""
    neighbours, group, count = adjacency(n, pairs), [None] * n, 0
    for start in range(n):
        if group[start] is not None:
            continue
        group[start], stack = count, [start]
        while stack:
            for j in neighbours[stack.pop()]:
                if group[j] is None:
                    group[j] = count
                    stack.append(j)
        count += 1
    return group


def grow_regions(rng, n, pairs, most):
    """Up to `most` connected regions per component, grown from random nodes edge by edge."""
    neighbours, component = adjacency(n, pairs), connected_groups(n, pairs)
    region, count = [None] * n, 0
    for c in range(max(component) + 1):
        members = [i for i in range(n) if component[i] == c]
        border = []
        for i in rng.sample(members, rng.randint(1, min(most, len(members)))):
            region[i] = count
            count += 1
            border.append(i)
        while border:
            at = rng.randrange(len(border))
            open_ends = [j for j in neighbours[border[at]] if region[j] is None]
            if not open_ends:
                border[at] = border[-1]
                border.pop()
                continue
            j = rng.choice(open_ends)
            region[j] = region[border[at]]
            border.append(j)
    return region


def parents_first(nodes, pairs):
    """A spanning tree of connected nodes as (node, parent, index of the edge), parents before children."""
    inside = set(nodes)
    ends = {i: [] for i in nodes}
    for k, (i, j) in enumerate(pairs):
        if i in inside and j in inside:
            ends[i].append((j, k))
            ends[j].append((i, k))
    order, seen, at = [], {nodes[0]}, [nodes[0]]
    for i in at:
        for j, k in ends[i]:
            if j not in seen:
                seen.add(j)
                at.append(j)
                order.append((j, i, k))
    return order
