"""bench/run: measures every row, prints one table, and writes the same as JSON and Markdown."""

import argparse
import json
import pathlib
import sys

from . import machine, sections
from .comparison import Comparison, compare
from .paths import DATA, GTVMIN
from .problems import Row, provide_data, rows
from .table import Table, results_table

FULL_LIMIT, QUICK_LIMIT = 60.0, 2.0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench/run", description="How long gtvmin and other methods take.")
    parser.add_argument("--quick", action="store_true", help="small problems, a few minutes in all")
    parser.add_argument("--only", metavar="NAME,...", help="only rows whose name starts with one of these")
    parser.add_argument("--time-limit", type=float, metavar="S",
                        help="seconds for each rival on each row, more where gtvmin takes longer "
                             f"[{FULL_LIMIT:g}; --quick: {QUICK_LIMIT:g}]")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write the results as JSON")
    parser.add_argument("--markdown", type=pathlib.Path, metavar="FILE", help="write the tables as Markdown")
    parser.add_argument("--no-build", action="store_true", help="use the programs and packages that are there")
    return parser.parse_args()


def note(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def compare_all(quick: bool, only: str | None, limit: float) -> list[Comparison]:
    def compare_row(row: Row) -> Comparison:
        folder = provide_data(GTVMIN, row.data, DATA / ("quick" if quick else "full"))
        return compare(row, folder, limit, lambda method: note(f"{row.name}: {method}"))

    def is_wanted(row: Row) -> bool:
        return row.name.startswith(tuple(only.split(","))) if only else row.in_quick or not quick

    return [compare_row(row) for row in rows(quick) if is_wanted(row)]


def main() -> int:
    arguments = parse_arguments()
    limit = arguments.time_limit or (QUICK_LIMIT if arguments.quick else FULL_LIMIT)
    comparisons = compare_all(arguments.quick, arguments.only, limit)
    if not comparisons:
        note(f"no row has a name that starts with {arguments.only}")
        return 2
    further = {} if arguments.only else {title: sections.measure(command) for title, command in sections.available()}
    tables = [results_table(comparisons)] + [
        table for title, results in further.items() for table in sections.tables(title, results)]
    described = machine.describe()
    about = Table(["machine", ""], [[key, value] for key, value in described.items()])
    print("\n\n".join(table.text() for table in (about, *tables)))
    if arguments.json:
        arguments.json.write_text(json.dumps({
            "machine": described, "time_limit": limit, "quick": arguments.quick,
            "rows": [comparison.to_json() for comparison in comparisons], "sections": further}, indent=1) + "\n")
    if arguments.markdown:
        arguments.markdown.write_text("\n\n".join(table.markdown() for table in (about, *tables)) + "\n")
    return 1 if any(comparison.reference.contradicted for comparison in comparisons) else 0


if __name__ == "__main__":
    sys.exit(main())
