"""gtvmin agent against those who have a certificate and mean harm: what they send does not stay in memory, the log says why
they were refused, and the run ends with the right bits."""

import hashlib
import pathlib
import re
import resource
import socket
import unittest

from agents import SITES, AgentTest
from wire_streams import GIGABYTE, Refused, WireClient, WireServer, chunk, hello

MEGABYTE = 1 << 20


class Attack(AgentTest):
    """Everybody but s1 runs, and s0 waits for it; who attacks s0 has the key of s1. Then s1 comes."""

    def setUp(self):
        super().setUp()
        self.make_federation()
        self.expected = self.reference()
        self.agents = {site: self.start(site) for site in SITES if site != "s1"}
        self.wait_for_log("s0", "s6: connected")
        self.before = self.memory()
        self.digest = hashlib.sha256(self.read("federation.toml")).hexdigest()

    def memory(self):
        """Bytes that s0 has had at most."""
        status = pathlib.Path(f"/proc/{self.agents['s0'].pid}/status").read_text(encoding="utf-8")
        return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024

    def stolen(self):
        return [self.folder / name for name in ("authority/authority.crt", "keys/s1.crt", "keys/s1.key")]

    def client(self):
        client = WireClient(("127.0.0.1", self.ports[0]), "s0.trial", *self.stolen())
        self.addCleanup(client.close)
        return client

    def greeted(self):
        client = self.client()
        client.say(hello(self.digest, "s1"))
        self.wait_for_log("s0", "s1: connected (called)")
        return client

    def assert_refused(self, client, attack, most, reason):
        with self.assertRaises(Refused):
            attack()
        self.assertLess(client.sent, most, "bytes that it could send")
        self.wait_for_log("s0", reason)

    def assert_unharmed(self):
        self.assertLess(self.memory() - self.before, 200 * MEGABYTE)
        self.agents["s1"] = self.start("s1")
        self.wait_all(self.agents)
        self.assert_same_bits(self.expected)

    def test_a_message_of_a_gigabyte(self):
        in_chunks = self.greeted()

        def send_chunks():
            piece = bytes(30_000)
            for k in range(36_000):
                in_chunks.say(chunk(0, k, 36_000, piece))
            in_chunks.read()

        self.assert_refused(in_chunks, send_chunks, 16 * MEGABYTE, "message 0 exceeds the limit")

        # gRPC wants to have all of a frame before it says no; it runs out of the room that it was given.
        in_one_frame = self.greeted()
        self.assert_refused(in_one_frame, lambda: self.send_one_frame(in_one_frame, True), 256 * MEGABYTE,
                            "a frame of more than")
        # As fast as the socket takes it, whatever the other side has room for: what comes after the refusal is thrown
        # away until the connection ends.
        rude = self.greeted()
        self.assert_refused(rude, lambda: self.send_one_frame(rude, False), GIGABYTE, "a frame of more than")
        self.assert_unharmed()

    @staticmethod
    def send_one_frame(stream, obey):
        stream.send(b"\0" + GIGABYTE.to_bytes(4, "big"), obey)
        for _ in range(1024):
            stream.send(bytes(MEGABYTE), obey)
        stream.read()

    def test_a_message_of_a_gigabyte_from_one_who_was_dialled(self):
        server = WireServer(("127.0.0.1", self.ports[1]), "s0.trial", *self.stolen())
        self.addCleanup(server.close)
        server.say(hello(self.digest, "s1"))
        self.wait_for_log("s0", "s1: connected (dialled here)")
        self.assert_refused(server, lambda: self.send_one_frame(server, True), 256 * MEGABYTE,
                            f"s1 at 127.0.0.1:{self.ports[1]}: it sent a frame of more than")
        server.close()
        self.assert_unharmed()

    def test_a_thousand_connections_that_say_nothing(self):
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
        sockets = [socket.create_connection(("127.0.0.1", self.ports[0]), timeout=20) for _ in range(1000)]
        self.addCleanup(lambda: [plain.close() for plain in sockets])
        with_certificate = [self.client() for _ in range(50)]  # 50 streams without a hello
        self.wait_for_log("s0", "callers are unidentified")
        self.assertEqual(len(with_certificate), 50)
        self.wait_for_log("s0", "andshak")  # of those who do not even begin with TLS
        self.assert_unharmed()


if __name__ == "__main__":
    unittest.main()
