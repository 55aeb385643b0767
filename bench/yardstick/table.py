"""The one table, as text and as Markdown."""

import dataclasses

from .comparison import Comparison, Reference
from .measurement import TOLERANCES, Effort, Measurement

NOT_REACHED = "not reached"


@dataclasses.dataclass(frozen=True)
class Table:
    header: list[str]
    lines: list[list[str]]
    title: str = ""

    def text(self) -> str:
        widths = [max(map(len, column)) for column in zip(self.header, *self.lines)]
        rule = ["-" * width for width in widths]
        body = "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip()
                         for line in (self.header, rule, *self.lines))
        return f"{self.title}\n{body}" if self.title else body

    def markdown(self) -> str:
        rows = "\n".join("| " + " | ".join(line) + " |" for line in (
            self.header, ["---"] * len(self.header), *self.lines))
        return f"### {self.title}\n\n{rows}" if self.title else rows


def results_table(comparisons: list[Comparison]) -> Table:
    header = ["problem", "method", *(f"s to {tolerance:.0e}" for tolerance in TOLERANCES), "iterations", "peak MB", ""]
    return Table(header, [line for comparison in comparisons for line in _lines(comparison)])


def _lines(comparison: Comparison) -> list[list[str]]:
    row, size = comparison.row, comparison.size
    about = f"{row.model}, {row.penalty}, lambda {row.lam:g}; {size['nodes']:,} nodes, {size['edges']:,} edges, " \
            f"d = {size['dimension']}; {_reference(comparison.reference)}"
    ratios = [_ratio(comparison, tolerance) for tolerance in TOLERANCES]
    first = [row.name, "ours : best other", *ratios, "", "", about]
    return [first] + [_method_line(measurement) for measurement in comparison.measurements]


def _method_line(measurement: Measurement) -> list[str]:
    efforts = [measurement.efforts[tolerance] for tolerance in TOLERANCES]
    iterations = " / ".join(str(effort.iterations) if effort else "-" for effort in efforts)
    return ["", measurement.method, *(_seconds(effort) for effort in efforts), iterations,
            f"{measurement.peak_mb:.0f}", measurement.remark]


def _seconds(effort: Effort | None) -> str:
    return f"{effort.seconds:.3g}" if effort else NOT_REACHED


def _ratio(comparison: Comparison, tolerance: float) -> str:
    ratio, method = comparison.ratio(tolerance)
    mine = comparison.measurements[0].efforts[tolerance]
    if ratio is None:
        return "only ours" if mine else f"only {method}" if method else "nobody"
    return (f"1 : {1 / ratio:.3g}" if ratio <= 1 else f"{ratio:.3g} : 1") + f" ({method})"


def _reference(reference: Reference) -> str:
    text = f"F* = {reference.optimum:.10g}, certified within {reference.certified:.0e}" \
           f"{' (exact clusters)' if reference.clusters_exact else ''}; " \
           f"best other {reference.agreement:+.0e} ({reference.best_other_method})"
    if reference.contradicted:
        return text + " CONTRADICTS THE CERTIFICATE"
    return text if reference.known else text + ", so F* is the lowest found and errors are uncertain"
