"""What bench/federation measures: federation_latency.py BIN SACRAMENTO.csv RUNS."""

import csv
import os
import pathlib
import re
import socket
import statistics
import subprocess
import sys
import tempfile

MEANING = """
  iteration   wall time of one iteration of the seven agents, from their own traces, checks and sums included
  messages    that the agents send each other in an iteration
  solver      processor time of the same iteration in one process without messages, divided by the cores that agents can use
  work        processor time that all agents take for an iteration, divided by those cores: solving, encoding, encrypting,
              sending and receiving; less is not possible here even if no core were ever idle
  round trip  a message to another site and one back, over the same links and TLS, between two processes that do nothing else
  The aim: an iteration takes at most 3 times the slower of what it computes (solver) and one round trip. That is the first
  ratio. The second one has work in place of solver: it says how much of the time agents wait, since seven agents on fewer
  cores cannot handle their messages side by side as seven machines would."""

AIM = 3


class Federation:
    """A folder as `gtvmin federation demo` leaves it, or one that looks like it."""

    def __init__(self, gtvmin, folder, solve):
        self.gtvmin, self.folder, self.solve_arguments = gtvmin, folder, solve
        self.agreement = (folder / "federation.toml").read_text(encoding="utf-8")
        self.sites = re.findall(r'^name = "(.*)"', self.agreement, re.MULTILINE)[1:]

    def run(self, iterations):
        """Wall and processor seconds, and messages, of so many iterations of the agents."""
        text = re.sub(r"(?m)^tol = .*$", "tol = 0", self.agreement)
        text = re.sub(r"(?m)^max-iterations = .*$", f"max-iterations = {iterations}", text)
        (self.folder / "bench.toml").write_text(text, encoding="utf-8")
        agents = [subprocess.Popen(
            [self.gtvmin, "agent", "bench.toml", "--site", site, "--data", f"{site}/data.csv", "--out", f"{site}/bench",
             "--force", "--threads", "1", "--certificate", f"{site}/site.crt", "--key", f"{site}/site.key",
             "--authority", "authority.crt"],
            cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for site in self.sites]
        processor = 0.0
        for agent in agents:
            _, status, usage = os.wait4(agent.pid, 0)
            agent.returncode = os.waitstatus_to_exitcode(status)
            if agent.returncode != 4:
                sys.exit(f"an agent ended with {agent.returncode}")
            processor += usage.ru_utime + usage.ru_stime
        return trace_seconds(self.folder / self.sites[0] / "bench"), processor

    def solve(self, iterations):
        """Processor seconds of so many iterations in one process."""
        process = subprocess.Popen(
            [self.gtvmin, "solve", "--data", "all.csv", "--edges", "edges.csv", "--out", "bench", "--force", "--threads",
             "1", "--accelerators", "none", "--tol", "0", "--max-iterations", str(iterations), *self.solve_arguments],
            cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 4:
            sys.exit(f"gtvmin solve ended with {process.returncode}")
        return usage.ru_utime + usage.ru_stime

    def messages(self, iterations):
        summaries = [(self.folder / site / "bench" / "summary.json").read_text(encoding="utf-8") for site in self.sites]
        return sum(int(n) for text in summaries for n in re.findall(r'"messages_sent": (\d+)', text)) / iterations


def trace_seconds(folder):
    """Of an iteration."""
    with open(folder / "trace.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    first, last = rows[0], rows[-1]
    return (float(last["seconds"]) - float(first["seconds"])) / (int(last["iteration"]) - int(first["iteration"]))


def free_addresses(count):
    sockets = [socket.socket() for _ in range(count)]
    for probe in sockets:
        probe.bind(("127.0.0.1", 0))
    addresses = [f"127.0.0.1:{probe.getsockname()[1]}" for probe in sockets]
    for probe in sockets:
        probe.close()
    return addresses


def sacramento(gtvmin, data, folder):
    subprocess.run([gtvmin, "federation", "demo", "--data", data, "--out", folder], check=True, stdout=subprocess.DEVNULL)
    return Federation(gtvmin, folder, ["--label", "price", "--lambda", "3.2", "--ridge", "0.01", "--intercept"])


def synthetic(gtvmin, folder, nodes, dimension, in_a_row, sites=7):
    """Every site is a cluster; a few edges join each pair or, in a row, each site and the next one."""
    def call(*arguments):
        subprocess.run([gtvmin, *arguments], check=True, cwd=folder, stdout=subprocess.DEVNULL)

    folder.mkdir()
    call("generate", "sbm", "--sizes", f"{sites}x{nodes}", "--dimension", str(dimension), "--samples", "5", "--noise", "0.5",
         "--p-in", str(10 / nodes), "--p-out", "0" if in_a_row else str(5 / nodes ** 2), "--out", "made")
    (folder / "all.csv").symlink_to("made/data.csv")
    (folder / "edges.csv").symlink_to("made/edges.csv")
    if in_a_row:
        with open(folder / "edges.csv", "a", encoding="utf-8") as edges:
            edges.writelines(f"{i},{i + nodes},1\n" for site in range(sites - 1) for i in range(site * nodes, site * nodes + 5))
    header, *rows = (folder / "all.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    topology = 'name = "synthetic"\nedges = "edges.csv"\n'
    for site, address in enumerate(free_addresses(sites)):
        names = ", ".join(f'"{i}"' for i in range(site * nodes, (site + 1) * nodes))
        topology += f'[[site]]\nname = "s{site}"\naddress = "{address}"\nnodes = [{names}]\n'
        (folder / f"s{site}").mkdir()
        own = [row for row in rows if int(row.split(",", 1)[0]) // nodes == site]
        (folder / f"s{site}" / "data.csv").write_text(header + "".join(own), encoding="utf-8")
    features = ", ".join(f'"x{k + 1}"' for k in range(dimension))
    (folder / "topology.toml").write_text(topology + f"[solve]\nlambda = 0.1\nfeatures = [{features}]\n", encoding="utf-8")
    agreement = ("--federation", "federation.toml")
    call("federation", "init", "topology.toml", "--out", "federation.toml")
    call("federation", "authority", *agreement, "--out", ".")
    for site in (f"s{k}" for k in range(sites)):
        call("federation", "certificate", *agreement, "--site", site, "--out", site)
        call("federation", "sign", *agreement, "--authority", ".", "--request", f"{site}/{site}.csr", "--out",
             f"{site}/site.crt")
        (folder / site / "site.key").symlink_to(f"{site}.key")
    return Federation(gtvmin, folder, ["--lambda", "0.1"])


def measure(federation, iterations, runs, round_trip):
    """Starting a process costs the same with few iterations as with many, so differences count."""
    cores = min(len(os.sched_getaffinity(0)), len(federation.sites))
    few = iterations // 10
    span = (iterations - few) * cores
    seconds, work, solver, trips = [], [], [], []
    for _ in range(runs):
        trips.append(round_trip())
        _, start = federation.run(few)
        second, processor = federation.run(iterations)
        seconds.append(second)
        work.append((processor - start) / span)
        solver.append((federation.solve(iterations) - federation.solve(few)) / span)
    median = statistics.median
    return (median(seconds), federation.messages(iterations), median(solver), median(work), median(trips))


def main():
    programs, data, runs = pathlib.Path(sys.argv[1]).absolute(), pathlib.Path(sys.argv[2]).absolute(), int(sys.argv[3])
    gtvmin = programs / "gtvmin"

    def round_trip():
        return float(subprocess.run([programs / "round_trip_bench", "3000"], check=True, capture_output=True).stdout)

    print(f"Seven agents on loopback with TLS, {len(os.sched_getaffinity(0))} cores, median of {runs} runs; "
          f"load of the machine before: {os.getloadavg()[0]:.1f}", flush=True)
    print(MEANING)
    print("\n              iteration  messages    solver      work  round trip   iteration : slower of   iteration : slower of"
          "\n                     µs                  µs        µs          µs  solver and round trip      work and round trip")
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for name, federation, iterations in (("sacramento", sacramento(gtvmin, data, folder / "sacramento"), 3000),
                                             ("in a row", synthetic(gtvmin, folder / "row", 50, 4, True), 3000),
                                             ("synthetic", synthetic(gtvmin, folder / "synthetic", 1000, 32, False), 300)):
            wall, messages, solver, work, trip = measure(federation, iterations, runs, round_trip)
            ratio = wall / max(solver, trip)
            print(f"  {name:<11} {wall * 1e6:10.0f} {messages:9.1f} {solver * 1e6:9.0f} {work * 1e6:9.0f} {trip * 1e6:11.0f}"
                  f" {ratio:23.2f} {wall / max(work, trip):23.2f}"
                  f"   {'at most' if ratio <= AIM else 'more than'} {AIM}", flush=True)


if __name__ == "__main__":
    main()
