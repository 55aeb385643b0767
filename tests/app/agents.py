"""What the tests of agents share: a federation of seven sites on loopback, their certificates, and processes."""

import csv
import random
import select
import signal
import socket
import subprocess
import threading
import time

from app import GTVMIN, AppTest

SITES = [f"s{k}" for k in range(7)]
NODES = 6  # of each site


def free_ports(count):
    """Ports that nobody uses now, outside the range from which outgoing connections get theirs."""
    ports, sockets = [], []
    candidate = random.SystemRandom().randrange(20000, 30000)
    while len(ports) < count:
        candidate += 1
        probe = socket.socket()
        try:
            probe.bind(("127.0.0.1", candidate))
        except OSError:
            probe.close()
            continue
        sockets.append(probe)
        ports.append(candidate)
    for probe in sockets:
        probe.close()
    return ports


def truth_of(node):
    """The parameters of a site's nodes, before noise on the labels."""
    return [1, -2, 0.5] if int(node[1]) < 4 else [-1, 2, 3]


class AgentTest(AppTest):
    """A ring of seven sites with a chord; the last one has no address and only dials."""

    def setUp(self):
        super().setUp()
        self.processes = []
        self.addCleanup(self.end_all)

    def end_all(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
                process.wait()

    def make_federation(self, solve="", addresses=None, seed=1, certificates=True, sums=True):
        draw = random.Random(seed)
        self.ports = free_ports(len(SITES))
        addresses = addresses or {}
        header = "node,y,x1,x2,x3\n"
        everything = header
        for k, site in enumerate(SITES):
            rows = ""
            for i in range(NODES):
                truth = truth_of(site)
                for _ in range(4):
                    x = [draw.gauss(0, 1) for _ in range(3)]
                    y = sum(a * b for a, b in zip(truth, x)) + 0.1 * draw.gauss(0, 1)
                    rows += f"{site}n{i},{y},{x[0]},{x[1]},{x[2]}\n"
            self.write(f"{site}.csv", header + rows)
            everything += rows
        self.write("all.csv", everything)
        names = [f"{site}n{i}" for site in SITES for i in range(NODES)]
        edges = {(names[i], names[(i + 1) % len(names)]) for i in range(len(names))}
        edges |= {(names[1], names[3 * NODES + 2])}
        for _ in range(40):
            k = draw.randrange(len(SITES)) * NODES
            a, b = sorted(draw.sample(range(NODES), 2))
            if b > a + 1:
                edges.add((names[k + a], names[k + b]))
        self.write("edges.csv", "source,target,weight\n" +
                   "".join(f"{a},{b},{draw.choice([0.5, 1, 2])}\n" for a, b in sorted(edges)))
        topology = f'name = "trial"\nedges = "edges.csv"\nsums = {str(sums).lower()}\n'
        for k, site in enumerate(SITES):
            nodes = ", ".join(f'"{site}n{i}"' for i in range(NODES))
            address = addresses.get(site, f"127.0.0.1:{self.ports[k]}" if k < len(SITES) - 1 else "")
            topology += f'[[site]]\nname = "{site}"\nnodes = [{nodes}]\n'
            topology += f'address = "{address}"\n' if address else ""
        topology += f'[solve]\nlambda = 0.05\nfeatures = ["x1", "x2", "x3"]\n{solve}'
        self.write("topology.toml", topology)
        self.gtvmin("federation", "init", "topology.toml", "--out", "federation.toml")
        if certificates:
            self.make_certificates()

    def make_certificates(self):
        self.gtvmin("federation", "authority", "--federation", "federation.toml", "--out", "authority")
        for site in SITES:
            self.gtvmin("federation", "certificate", "--federation", "federation.toml", "--site", site, "--out", "keys")
            self.gtvmin("federation", "sign", "--federation", "federation.toml", "--authority", "authority",
                        "--request", f"keys/{site}.csr", "--out", f"keys/{site}.crt")

    def credentials(self, site):
        return ["--certificate", f"keys/{site}.crt", "--key", f"keys/{site}.key", "--authority",
                "authority/authority.crt"]

    def reference(self, *arguments, expect=0):
        """What one process says."""
        self.solve("--data", "all.csv", "--edges", "edges.csv", "--lambda", 0.05, "--polish", "off", "--out",
                   "reference", *arguments, expect=expect)
        return {row["node"]: row for row in self.rows("reference/parameters.csv")}

    def command(self, _site):
        """How gtvmin is started at a site."""
        return [GTVMIN]

    def start(self, site, *arguments, credentials=None):
        with open(self.folder / f"{site}.log", "a", encoding="utf-8") as log:
            process = subprocess.Popen(
                [*self.command(site), "agent", "federation.toml", "--site", site, "--data", f"{site}.csv", "--out", f"out-{site}",
                 *(self.credentials(site) if credentials is None else credentials), *map(str, arguments)],
                cwd=self.folder, stdout=subprocess.DEVNULL, stderr=log)
        self.processes.append(process)
        return process

    def log(self, site):
        return (self.folder / f"{site}.log").read_text(encoding="utf-8")

    def wait_for_log(self, site, text, seconds=30):
        end = time.monotonic() + seconds
        while text not in self.log(site):
            self.assertLess(time.monotonic(), end, f"'{text}' does not appear in:\n{self.log(site)}")
            time.sleep(0.05)

    def wait_all(self, agents, seconds=120, expect=0):
        end = time.monotonic() + seconds
        for site, process in agents.items():
            try:
                code = process.wait(max(0.1, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGABRT)
                self.fail(f"{site} did not end\n" + "\n".join(self.log(name) for name in agents))
            expected = (0, 4) if expect is None else (expect,)
            self.assertIn(code, expected, f"{site}:\n{self.log(site)}")

    def kill_at_random(self, agents, start_again, most, seed):
        """Kills sites soon after they have saved, or wherever they are, and starts each again, until one has ended by
        itself; says how often."""
        draw = random.Random(seed)
        for kills in range(most):
            site = draw.choice(SITES)
            if kills % 3 > 0:
                self.wait_for_a_save(f"checkpoint-{site}/checkpoint", agents[site])
            time.sleep(draw.uniform(0, 0.05))
            if agents[site].poll() is not None:
                return kills
            agents[site].send_signal(signal.SIGKILL)
            agents[site].wait()
            agents[site] = start_again(site)
        return most

    def assert_same_bits(self, expected):
        found = {}
        for site in SITES:
            with open(self.folder / f"out-{site}" / "parameters.csv", newline="", encoding="utf-8") as file:
                found.update({row["node"]: row for row in csv.DictReader(file)})
        self.assertEqual(found, expected)


class Proxy:
    """Carries TCP connections to a port, until it is told to cut them or to let nothing through."""

    def __init__(self, port, to):
        self.to = to
        self.open = True
        self.pairs = []
        self.listener = socket.create_server(("127.0.0.1", port))
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.running = True
        self.thread.start()

    def run(self):
        while self.running:
            sockets = [self.listener] + [end for pair in self.pairs for end in pair]
            ready, _, _ = select.select(sockets, [], [], 0.05)
            for end in ready:
                if end is self.listener:
                    self.accept()
                else:
                    self.carry(end)

    def accept(self):
        caller, _ = self.listener.accept()
        try:
            pair = (caller, socket.create_connection(("127.0.0.1", self.to)))
            for end in pair:
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.pairs.append(pair)
        except OSError:
            caller.close()

    def carry(self, end):
        pair = next((pair for pair in self.pairs if end in pair), None)
        if pair is None or not self.open:
            time.sleep(0.01)
            return
        other = pair[1] if end is pair[0] else pair[0]
        try:
            data = end.recv(65536)
            if data:
                other.sendall(data)
                return
        except OSError:
            pass
        self.drop(pair)

    def drop(self, pair):
        self.pairs = [other for other in self.pairs if other is not pair]
        for end in pair:
            end.close()

    def cut(self):
        for pair in list(self.pairs):
            for end in pair:
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def close(self):
        self.running = False
        self.thread.join()
        self.listener.close()
        for pair in list(self.pairs):
            self.drop(pair)
