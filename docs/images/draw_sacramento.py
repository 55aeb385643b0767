#!/usr/bin/env python3
"""Draws docs/images/sacramento.svg from the result of ./run:

    python3 docs/images/draw_sacramento.py results/sacramento

Every circle is a house at its longitude and latitude. Houses of one colour have the same model, to the last bit. The legend
has the size of each cluster and what one more square foot is worth in its model. Open circles are withheld houses.
"""

import collections
import csv
import math
import pathlib
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
COLOURS = ["#1b6ca8", "#e07a1f", "#3a923a", "#c03d3e", "#8065ae", "#8c613c", "#d584bd", "#4fb3bf", "#b5a22b", "#5b5f97"]
REST = "#9aa0a6"
RADIUS = 3.2
LEFT, TOP, PLOT_WIDTH, PLOT_HEIGHT, LEGEND, BELOW = 64, 50, 560, 560, 264, 62
WIDTH, HEIGHT = LEFT + PLOT_WIDTH + LEGEND, TOP + PLOT_HEIGHT + BELOW
KM_PER_DEGREE = 6371 * math.pi / 180


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def text(x, y, words, attributes=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" {attributes}>{words}</text>'


def circle(x, y, colour, filled):
    fill = colour if filled else "white"
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS}" fill="{fill}" stroke="{colour}"/>'


def central_range(values):
    """A range that holds all but the outermost 4 % on each side: a few remote houses would shrink the rest."""
    cut = len(values) // 25
    return sorted(values)[cut], sorted(values)[-1 - cut]


class Map:
    """Longitude and latitude to the page, with equal kilometres in both directions."""

    def __init__(self, longitudes, latitudes):
        west, east = central_range(longitudes)
        south, north = central_range(latitudes)
        self.middle = ((west + east) / 2, (south + north) / 2)
        self.squeeze = math.cos(math.radians(self.middle[1]))
        inner = min(PLOT_WIDTH, PLOT_HEIGHT) - 6 * RADIUS
        self.scale = min(inner / ((east - west) * self.squeeze), inner / (north - south))  # pixels per degree of latitude

    def position(self, longitude, latitude):
        return (LEFT + PLOT_WIDTH / 2 + (longitude - self.middle[0]) * self.squeeze * self.scale,
                TOP + PLOT_HEIGHT / 2 - (latitude - self.middle[1]) * self.scale)

    def holds(self, x, y):
        edge = RADIUS + 1
        return LEFT + edge < x < LEFT + PLOT_WIDTH - edge and TOP + edge < y < TOP + PLOT_HEIGHT - edge

    def axes(self):
        parts = []
        bottom, right = TOP + PLOT_HEIGHT, LEFT + PLOT_WIDTH
        for tenth in range(-1800, 1800):
            degree = tenth / 10
            x, _ = self.position(degree, self.middle[1])
            if LEFT < x < right:
                parts += [f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{bottom}" stroke="#eee"/>',
                          text(x, bottom + 18, f"{degree:.1f}°", 'text-anchor="middle"')]
            _, y = self.position(self.middle[0], degree)
            if TOP < y < bottom:
                parts += [f'<line x1="{LEFT}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="#eee"/>',
                          text(LEFT - 6, y + 4, f"{degree:.1f}°", 'text-anchor="end"')]
        bar = 10 / KM_PER_DEGREE * self.scale
        parts += [f'<rect x="{LEFT}" y="{TOP}" width="{PLOT_WIDTH}" height="{PLOT_HEIGHT}" fill="none" stroke="#444"/>',
                  text(LEFT + PLOT_WIDTH / 2, bottom + 38, "longitude (degrees)", 'text-anchor="middle"'),
                  text(16, TOP + PLOT_HEIGHT / 2, "latitude (degrees)",
                       f'text-anchor="middle" transform="rotate(-90 16 {TOP + PLOT_HEIGHT / 2})"'),
                  f'<line x1="{right - 14 - bar:.1f}" y1="{bottom - 14}" x2="{right - 14}" y2="{bottom - 14}" stroke="#222" stroke-width="2"/>',
                  text(right - 14 - bar / 2, bottom - 20, "10 km", 'text-anchor="middle"')]
        return parts


def legend(clusters, sizes, colours, worth, outside):
    x, y = LEFT + PLOT_WIDTH + 20, TOP + 8
    parts = [text(x, y, "Ten largest clusters", 'font-weight="bold"')]
    for name in clusters:
        y += 22
        parts += [circle(x + 4, y - 4, colours[name], True),
                  text(x + 16, y, f"{sizes[name]} houses, ${worth[name]:.0f} per sq ft")]
    others = sum(size for name, size in sizes.items() if name not in colours)
    count = sum(1 for name in sizes if name not in colours)
    y += 22
    parts += [circle(x + 4, y - 4, REST, True), text(x + 16, y, f"{others} houses in {count} smaller clusters")]
    y += 40
    parts += [text(x, y, "Marker", 'font-weight="bold"')]
    for filled, words in ((True, "known price"), (False, "withheld price, predicted")):
        y += 22
        parts += [circle(x + 4, y - 4, "#222", filled), text(x + 16, y, words)]
    y += 34
    for words in (f"{outside} remote houses", "lie outside the map"):
        parts.append(text(x, y, words, 'fill="#555"'))
        y += 16
    return parts


def main(result):
    houses = rows(ROOT / "data" / "sacramento.csv")
    cluster = {row["node"]: row["cluster"] for row in rows(result / "clusters.csv")}
    parameters = {row["node"]: row for row in rows(result / "parameters.csv")}
    known = {row["node"] for row in rows(result / "data.csv")}
    names = [f"house-{k + 1}" for k in range(len(houses))]
    sizes = collections.Counter(cluster.values())
    largest = [name for name, _ in sizes.most_common(len(COLOURS))]
    colours = dict(zip(largest, COLOURS))

    # Parameters are for standardised columns; this brings a slope back to dollars per square foot.
    def deviation(column):
        return statistics.pstdev(float(house[column]) for name, house in zip(names, houses) if name in known)
    dollars = deviation("price") / deviation("sqft")
    worth = {cluster[name]: float(parameters[name]["sqft"]) * dollars for name in names}

    area = Map([float(house["longitude"]) for house in houses], [float(house["latitude"]) for house in houses])
    circles, outside = [], 0
    for name, house in zip(names, houses):
        x, y = area.position(float(house["longitude"]), float(house["latitude"]))
        if not area.holds(x, y):
            outside += 1
            continue
        circles.append(circle(x, y, colours.get(cluster[name], REST), name in known))
    title = f"Sacramento house sales: {len(houses)} models in {len(sizes)} clusters"
    svg = "\n".join(
        [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
         'font-family="sans-serif" font-size="12">',
         f"<title>{title}</title>", f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
         text(LEFT + PLOT_WIDTH / 2, 28, title, 'text-anchor="middle" font-size="16"'),
         *area.axes(), *circles, *legend(largest, sizes, colours, worth, outside), "</svg>", ""])
    (ROOT / "docs" / "images" / "sacramento.svg").write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
