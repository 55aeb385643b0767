"""Further measurements, by C++ programs: each prints one JSON object with --json, which becomes small tables here.

A value that is a list of objects becomes a table of its own, all other values share one.
"""

import json
from typing import Any

from . import process
from .paths import BINARIES
from .table import Table

PROGRAMS = [
    ("Edge sweep against memory bandwidth", ["sweep_bench", "--json"]),
    ("Growth with size", ["growth_bench", "--json"]),
    ("Warm starts and paths of lambda", ["path_bench", "--json"]),
]
TIME_LIMIT = 1800.0


def available() -> list[tuple[str, list[str]]]:
    return [(title, command) for title, command in PROGRAMS if (BINARIES / command[0]).exists()]


def measure(command: list[str]) -> dict[str, Any]:
    done = process.run([BINARIES / command[0], *command[1:]], TIME_LIMIT)
    if done.exit_code != 0:
        return {"error": f"{command[0]} ended with exit code {done.exit_code}: {done.errors.strip()}"}
    return json.loads(done.output)


def tables(title: str, results: dict[str, Any]) -> list[Table]:
    lists = {key: value for key, value in results.items() if _is_table(value)}
    single = [[_name(key), _cell(value)] for key, value in results.items() if key not in lists]
    found = [Table(["what", "value"], single, title)] if single else []
    for key, records in lists.items():
        columns = list(dict.fromkeys(column for record in records for column in record))
        lines = [[_cell(record.get(column, "")) for column in columns] for record in records]
        found.append(Table([_name(column) for column in columns], lines, f"{title}: {_name(key)}"))
    return found


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(entry, dict) for entry in value)


def _name(key: str) -> str:
    return key.replace("_", " ")


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return value if isinstance(value, str) else json.dumps(value)
