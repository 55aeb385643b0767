"""Data walks one way, and so do the includes: a room sees only the rooms below it.

Run by ctest with the repository's folder as argument.
"""

import pathlib
import re
import sys
import unittest

# What each room may include besides itself. A new room stands here, or the test fails.
SEES = {
    "base": [],
    "graph": ["base"],
    "loss": ["base"],
    "penalty": ["base"],
    "problem": ["base", "graph", "loss", "penalty"],
    "certify": ["base", "graph", "loss", "penalty", "problem"],
    "second_order": ["base", "graph", "loss", "penalty", "problem", "certify"],
    "solver": ["base", "graph", "loss", "penalty", "problem", "second_order", "certify"],
    "theory": ["base", "graph", "loss", "penalty", "problem", "certify", "solver"],
    "runtime": ["base", "graph", "loss", "penalty", "problem", "second_order", "certify", "solver", "io", "federation"],
    "grpc": ["base", "runtime"],
    "similarity": ["base", "graph", "problem", "solver"],
    "baselines": ["base", "graph", "loss", "penalty", "problem", "second_order", "certify", "solver"],
    "synthetic": ["base", "graph", "problem"],
    "evaluate": ["base", "graph", "problem"],
    "io": ["base", "graph", "problem"],
    "report": [],
    "options": ["base", "io"],
    "torch": ["base", "loss", "problem"],
    "federation": ["base", "graph", "io", "options"],
    "privacy": ["base", "io"],
    "pki": ["base", "io", "federation"],
    "demo": ["base", "graph", "problem", "evaluate", "io"],
    "testing": ["base", "graph", "loss", "penalty", "problem"],
}

# Files that see more than their room, and why.
EXCEPTIONS = {
    # Writes the records of a run, which the solver and the certificate make.
    "io/result_files.h": ["solver", "certify"],
    "io/result_files.cpp": ["penalty", "solver", "certify"],
    "io/summary_json.cpp": ["penalty", "solver", "certify"],
    "io/summary_fields.h": ["certify"],
    "io/baseline_files.h": ["baselines"],
    "io/baseline_files.cpp": ["baselines"],
}

# The library does not print, exit, read the clock or a global random state.
FORBIDDEN_HEADERS = ["iostream", "cstdio", "stdio.h", "print", "chrono", "ctime", "time.h", "random", "CLI/CLI.hpp"]
FORBIDDEN_EXCEPTIONS = {name: ["cstdio"] for name in ("io/disk.cpp", "io/output_file.cpp", "io/result_directory.cpp")}  # rename
# Who waits for other machines does so for a time, and draws when to try again.
FORBIDDEN_EXCEPTIONS.update({"runtime/site_links.cpp": ["chrono"], "grpc/status.cpp": ["chrono"],
                             "grpc/transport.cpp": ["chrono"], "grpc/switchboard.cpp": ["chrono"],
                             "grpc/switchboard.h": ["random"]})

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)

root = pathlib.Path(sys.argv.pop(1)) if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]


def library_files():
    """(room, name inside the library, path) of every source and header that stands in a room."""
    for folder in (root / "include" / "gtvmin", root / "src"):
        for path in sorted(folder.rglob("*")):
            if path.suffix in (".h", ".cpp") and path.parent != folder:
                name = path.relative_to(folder)
                yield name.parts[0], name.as_posix(), path


def includes(path):
    return INCLUDE.findall(path.read_text(encoding="utf-8"))


class Architecture(unittest.TestCase):
    def test_there_are_files_to_look_at(self):
        self.assertGreater(len(list(library_files())), 20)

    def test_every_room_is_listed(self):
        self.assertEqual({room for room, _, _ in library_files()} - set(SEES), set())

    def test_no_room_includes_one_above_it(self):
        wrong = []
        for room, name, path in library_files():
            allowed = {room, *SEES.get(room, []), *EXCEPTIONS.get(name, [])}
            for _, header in includes(path):
                parts = header.split("/")
                if parts[0] == "gtvmin" and len(parts) > 2 and parts[1] not in allowed:
                    wrong.append(f"{path.relative_to(root)} includes {header}")
        self.assertEqual(wrong, [])

    def test_private_headers_stay_in_their_room(self):
        wrong = []
        for room, name, path in library_files():
            for bracket, header in includes(path):
                if bracket != '"' or header.startswith("gtvmin/"):
                    continue
                target = (path.parent / header).resolve()
                if target.exists() and (root / "src" / room).resolve() not in target.parents:
                    wrong.append(f"{path.relative_to(root)} includes {header}")
        self.assertEqual(wrong, [])

    def test_the_rooms_form_no_circle(self):
        done = set()

        def visit(room, trail):
            self.assertNotIn(room, trail, f"circle: {trail + [room]}")
            if room not in done:
                for below in SEES[room]:
                    visit(below, trail + [room])
                done.add(room)

        for room in SEES:
            visit(room, [])

    def test_the_library_neither_prints_nor_reads_clocks(self):
        wrong = []
        for _, name, path in library_files():
            for _, header in includes(path):
                if header in FORBIDDEN_HEADERS and header not in FORBIDDEN_EXCEPTIONS.get(name, []):
                    wrong.append(f"{path.relative_to(root)} includes {header}")
            if re.search(r"\b(std::exit|std::abort|fmt::print|std::cout|std::cerr)\b", path.read_text(encoding="utf-8")):
                wrong.append(f"{path.relative_to(root)} prints or exits")
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
