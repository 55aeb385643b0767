#!/usr/bin/env python3
"""Draws docs/images/tight-set.svg from the results of

    gtvmin demo sacramento --data data/sacramento.csv --out results/sacramento
    gtvmin theory results/sacramento --out results/theory
    python3 docs/images/draw_tight_set.py results/sacramento results/theory

The largest cluster, its tight set, and the edges on which a proof fails. Houses are drawn by a spring layout of the edges inside
the cluster, since most of them are too close to each other on a map.
"""

import math
import pathlib
import random
import sys

from draw_sacramento import ROOT, rows, text

WIDTH, HEIGHT, MARGIN, BELOW = 760, 560, 24, 76
TIGHT, REST, CUT, INNER, BOUNDARY = "#1b6ca8", "#e07a1f", "#c03d3e", "#c9ccd1", "#333"


def layout(nodes, edges):
    """Fruchterman and Reingold's: edges pull, nodes push, and steps shrink."""
    random.seed(1)
    place = {i: [random.random(), random.random()] for i in nodes}
    rest = 1 / math.sqrt(len(nodes))
    for step in range(400):
        move = {i: [0.0, 0.0] for i in nodes}
        for a in nodes:
            for b in nodes:
                if a < b:
                    spread(place, move, a, b, lambda length: rest * rest / length)
        for a, b in edges:
            spread(place, move, a, b, lambda length: -length * length / rest)
        largest = 0.1 * (1 - step / 400)
        for i in nodes:
            length = math.hypot(*move[i]) or 1
            for axis in (0, 1):
                place[i][axis] += move[i][axis] / length * min(length, largest)
    for axis, size in ((0, WIDTH), (1, HEIGHT)):
        low, high = (bound(place[i][axis] for i in nodes) for bound in (min, max))
        for i in nodes:
            place[i][axis] = MARGIN + (place[i][axis] - low) / (high - low) * (size - 2 * MARGIN)
    return place


def spread(place, move, a, b, force):
    across = [place[a][axis] - place[b][axis] for axis in (0, 1)]
    length = max(math.hypot(*across), 1e-6)
    for axis in (0, 1):
        push = across[axis] / length * force(length)
        move[a][axis] += push
        move[b][axis] -= push


def line(a, b, colour, width):
    return (f'<line x1="{a[0]:.1f}" y1="{a[1]:.1f}" x2="{b[0]:.1f}" y2="{b[1]:.1f}" stroke="{colour}" '
            f'stroke-width="{width}"/>')


def dot(place, colour, leaves):
    ring = BOUNDARY if leaves else colour
    return f'<circle cx="{place[0]:.1f}" cy="{place[1]:.1f}" r="5" fill="{colour}" stroke="{ring}" stroke-width="2"/>'


def main(result, theory):
    clusters = rows(theory / "theory_clusters.csv")
    name = max(clusters, key=lambda row: int(row["nodes"]))["cluster"]
    nodes = {row["node"]: row for row in rows(theory / "theory_nodes.csv") if row["cluster"] == name}
    edges = [(row["source"], row["target"]) for row in rows(result / "graph.csv")
             if row["source"] in nodes and row["target"] in nodes]
    place = layout(sorted(nodes), edges)
    tight = {i for i, row in nodes.items() if row["tight"] == "1"}
    cut = [(a, b) for a, b in edges if (a in tight) != (b in tight)]
    title = f"Cluster {name} of Sacramento: tight set of {len(tight)} of {len(nodes)} houses"
    y = HEIGHT + 24
    legend = [dot((MARGIN, y - 4), TIGHT, False), text(MARGIN + 12, y, "tight set"),
              dot((MARGIN + 100, y - 4), REST, False), text(MARGIN + 112, y, "rest of the cluster"),
              dot((MARGIN + 250, y - 4), "white", True), text(MARGIN + 262, y, "has edges that leave the cluster"),
              line((MARGIN + 468, y - 4), (MARGIN + 492, y - 4), CUT, 3), text(MARGIN + 500, y, "edges of the tight set to the rest"),
              text(MARGIN, y + 26, "Forces on the tight set must pass the red edges; they weigh less than the boundary can pull with.")]
    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT + BELOW}" width="{WIDTH}" '
           f'height="{HEIGHT + BELOW}" font-family="sans-serif" font-size="12">', f"<title>{title}</title>",
           f'<rect width="{WIDTH}" height="{HEIGHT + BELOW}" fill="white"/>',
           *(line(place[a], place[b], INNER, 1) for a, b in edges), *(line(place[a], place[b], CUT, 3) for a, b in cut),
           *(dot(place[i], TIGHT if i in tight else REST, float(row["boundary"]) > 0) for i, row in sorted(nodes.items())),
           *legend, "</svg>", ""]
    (ROOT / "docs" / "images" / "tight-set.svg").write_text("\n".join(svg), encoding="utf-8")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
