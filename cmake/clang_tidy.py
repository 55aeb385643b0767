"""clang_tidy.py BUILD FILE…: clang-tidy over sources of a build, in parallel. Prints findings, then one line per file,
`0:FILE` for a clean one. Like ccache it remembers, under ~/.cache/gtvmin, what it has found clean: a file is looked at again
when it, a header that it includes, its flags, the checks or clang-tidy itself have changed."""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "gtvmin" / "tidy"
TIDY = "clang-tidy-14"
COMPILER = "clang++-14"


def compile_flags(build):
    """File → the flags it is compiled with, without compiler, launcher, output and input."""
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
        flags[os.path.realpath(entry["file"])] = (kept, entry["directory"])
    return flags


def fingerprint(path, flags, directory, common):
    """Of all that clang-tidy will see; None if the file cannot be read as clang reads it."""
    done = subprocess.run([COMPILER, *flags, "-Wno-unknown-warning-option", "-w", "-E", "-P", "-C", path], cwd=directory,
                          capture_output=True, check=False)
    if done.returncode != 0:
        return None
    return hashlib.sha256(common + " ".join(flags).replace(os.getcwd(), "").encode() + done.stdout).hexdigest()


def checks(path):
    """What the files that say which checks this one gets contain."""
    files = [folder / ".clang-tidy" for folder in pathlib.Path(path).parents]
    return b"".join(file.read_bytes() for file in files if file.exists())


def look_at(path, build, flags, version):
    known = flags.get(os.path.realpath(path))
    mark = fingerprint(os.path.realpath(path), *known, version + checks(path)) if known else None
    if mark and (CACHE / mark).exists():
        return 0, ""
    done = subprocess.run([TIDY, "--quiet", "-p", str(build), path], capture_output=True, text=True, check=False)
    findings = [line for line in (done.stdout + done.stderr).splitlines() if "warnings generated" not in line]
    clean = done.returncode == 0 and not findings
    if clean and mark:
        CACHE.mkdir(parents=True, exist_ok=True)
        (CACHE / mark).touch()
    return (0 if clean else 1), "\n".join(findings)


def main():
    build = pathlib.Path(sys.argv[1])
    version = subprocess.run([TIDY, "--version"], capture_output=True, check=True).stdout
    flags = compile_flags(build)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        for path, (code, findings) in zip(sys.argv[2:], workers.map(lambda p: look_at(p, build, flags, version), sys.argv[2:])):
            if findings:
                print(findings, file=sys.stderr)
            print(f"{code}:{path}", flush=True)


if __name__ == "__main__":
    main()
