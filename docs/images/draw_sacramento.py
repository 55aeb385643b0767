#!/usr/bin/env python3
"""Draws docs/images/sacramento.svg from the result of ./run: python3 docs/images/draw_sacramento.py results/sacramento

Every circle is a house; houses of one colour have the same model, to the last bit. Open circles were withheld.
"""

import collections
import csv
import math
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
COLOURS = ["#1b6ca8", "#e07a1f", "#3a923a", "#c03d3e", "#8065ae", "#8c613c", "#d584bd", "#4fb3bf", "#b5a22b", "#5b5f97"]
REST = "#9aa0a6"
WIDTH, HEIGHT, MARGIN = 760, 560, 24


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def main(result):
    houses = rows(ROOT / "data" / "sacramento.csv")
    cluster = {row["node"]: row["cluster"] for row in rows(result / "clusters.csv")}
    known = {row["node"] for row in rows(result / "data.csv")}
    sizes = collections.Counter(cluster.values())
    colour = {name: COLOURS[k] for k, (name, size) in enumerate(sizes.most_common(len(COLOURS))) if size > 4}

    stretch = math.cos(math.radians(38.6))
    x = [float(house["longitude"]) * stretch for house in houses]
    y = [-float(house["latitude"]) for house in houses]
    # The middle of the map; a few far houses would shrink the rest.
    cut = len(houses) // 25
    left, right = sorted(x)[cut], sorted(x)[-1 - cut]
    top, bottom = sorted(y)[cut], sorted(y)[-1 - cut]
    scale = min((WIDTH - 2 * MARGIN) / (right - left), (HEIGHT - 2 * MARGIN) / (bottom - top))

    circles = []
    for k in range(len(houses)):
        name = f"house-{k + 1}"
        px, py = MARGIN + (x[k] - left) * scale, MARGIN + (y[k] - top) * scale
        if not (0 < px < WIDTH and 0 < py < HEIGHT):
            continue
        paint = colour.get(cluster[name], REST)
        fill = paint if name in known else "white"
        circles.append(f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3.4" fill="{fill}" stroke="{paint}"/>')
    text = "\n".join(
        [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">',
         '<title>Sacramento house sales coloured by learnt cluster</title>',
         f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>', *circles, "</svg>", ""])
    (ROOT / "docs" / "images" / "sacramento.svg").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
