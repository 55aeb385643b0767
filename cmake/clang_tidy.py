"""clang_tidy.py BUILD FILE…: clang-tidy over sources of a build, in parallel. Prints findings, then one line per file,
`0:FILE` for a clean one. Like ccache it remembers, under ~/.cache/gtvmin, what it has found clean: a file is looked at again
when it, a header that it includes, its flags, the checks or clang-tidy itself have changed.

Most of the time goes into headers, so a few files of a folder are looked at as one. Where that is not clean, or their names
clash, its halves are."""

import concurrent.futures
import hashlib
import itertools
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "gtvmin" / "tidy"
TIDY = "clang-tidy-14"
COMPILER = "clang++-14"
AT_ONCE = 6


def compile_flags(build):
    """File → the flags it is compiled with, without compiler, launcher, output and input; and where."""
    flags = {}
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        words = shlex.split(entry["command"])
        while not words[0].startswith("-"):
            words.pop(0)
        kept = []
        skip = False
        for word in words:
            if not skip and word not in ("-c", "-o", "-MF", "-MT", "-MD", entry["file"]):
                kept.append(word)
            skip = word in ("-o", "-MF", "-MT")
        for source in sources_of(entry["file"]):
            flags[os.path.realpath(source)] = (tuple(kept), entry["directory"])
    return flags


def sources_of(path):
    """What is compiled with this file: itself or, if it stands for the files of a folder, those."""
    if pathlib.Path(path).parent.name != "Unity":
        return [path]
    return re.findall(r'#include "(.+\.cpp)"', pathlib.Path(path).read_text(encoding="utf-8"))


def checks(path):
    """The files that say which checks this one gets, the nearest first."""
    files = [folder / ".clang-tidy" for folder in pathlib.Path(path).parents]
    return [file for file in files if file.exists()]


class Inspector:
    def __init__(self, build):
        self.flags = compile_flags(build)
        self.version = subprocess.run([TIDY, "--version"], capture_output=True, check=True).stdout
        self.scratch = build / "tidy"

    def batches(self, paths):
        """Files of one folder that are compiled alike."""
        for _, group in itertools.groupby(paths, lambda path: (os.path.dirname(path), self.flags.get(os.path.realpath(path)))):
            group = list(group)
            yield from (group[k:k + AT_ONCE] for k in range(0, len(group), AT_ONCE))

    def as_one(self, paths):
        """A file that includes them all, beneath the checks of their folder."""
        name = hashlib.sha256("\n".join(paths).encode()).hexdigest()[:16]
        nearest = checks(paths[0])[0]
        folder = self.scratch / nearest.parent
        folder.mkdir(parents=True, exist_ok=True)
        if nearest.parent != pathlib.Path("."):
            shutil.copy(nearest, folder)
        file = folder / f"{name}.cpp"
        file.write_text("".join(f'#include "{os.path.realpath(path)}"\n' for path in paths), encoding="utf-8")
        return file

    def mark(self, file, flags, directory, configuration):
        """Of all that clang-tidy will see; None if the file cannot be read as clang reads it."""
        done = subprocess.run([COMPILER, *flags, "-Wno-unknown-warning-option", "-w", "-E", "-P", "-C", os.path.realpath(file)],
                              cwd=directory, capture_output=True, check=False)
        if done.returncode != 0:
            return None
        settings = self.version + b"".join(part.read_bytes() for part in configuration)
        return hashlib.sha256(settings + " ".join(flags).replace(os.getcwd(), "").encode() + done.stdout).hexdigest()

    def findings(self, paths):
        """Of files that are looked at together; [] if all are clean."""
        known = self.flags.get(os.path.realpath(paths[0]))
        if known is None:
            return [f"{paths[0]}: not part of the build"]
        flags, directory = known
        file = paths[0] if len(paths) == 1 else self.as_one(paths)
        mark = self.mark(file, flags, directory, checks(paths[0]))
        if mark and (CACHE / mark).exists():
            return []
        done = subprocess.run([TIDY, "--quiet", os.path.realpath(file), "--", *flags], cwd=directory, capture_output=True,
                              text=True, check=False)
        lines = [line for line in (done.stdout + done.stderr).splitlines() if "warnings generated" not in line]
        if done.returncode == 0 and not lines:
            if mark:
                CACHE.mkdir(parents=True, exist_ok=True)
                (CACHE / mark).touch()
            return []
        return lines or [f"{paths[0]}: {TIDY} ended with {done.returncode}"]

    def look_at(self, paths):
        """(file, findings) of each."""
        findings = self.findings(paths)
        if not findings or len(paths) == 1:
            return [(path, findings) for path in paths]
        half = len(paths) // 2
        return self.look_at(paths[:half]) + self.look_at(paths[half:])


def main():
    inspector = Inspector(pathlib.Path(sys.argv[1]))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        for looked_at in workers.map(inspector.look_at, inspector.batches(sys.argv[2:])):
            for path, findings in looked_at:
                print("\n".join(findings), end="\n" if findings else "", file=sys.stderr)
                print(f"{1 if findings else 0}:{path}", flush=True)


if __name__ == "__main__":
    main()
