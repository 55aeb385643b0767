"""gtvmin agent on bad lines: connections that end at the wrong time, too many of them, and TLS that is too old."""

import hashlib
import resource
import socket
import ssl
import unittest

from agents import SITES, AgentTest
from app import GTVMIN
from wire_streams import WireServer, field, hello


class Lines(AgentTest):
    limited = ()

    def command(self, site):
        return [*(["prlimit", "--nofile=128:128"] if site in self.limited else []), GTVMIN]

    def test_a_neighbour_that_has_finished_is_dialled_again_as_long_as_it_is_needed(self):
        self.make_federation()
        digest = hashlib.sha256(self.read("federation.toml")).hexdigest()
        self.start("s6")
        keys = [self.folder / name for name in ("authority/authority.crt", "keys/s5.crt", "keys/s5.key")]
        neighbour = WireServer(("127.0.0.1", self.ports[5]), "s6.trial", *keys)
        neighbour.say(hello(digest, "s5"))
        self.wait_for_log("s6", "s5: connected")
        neighbour.say(field(4, 1))
        while neighbour.read() != 0:  # until s6 has sent its data
            pass
        neighbour.close()
        with socket.create_server(("127.0.0.1", self.ports[5])) as listener:
            listener.settimeout(20)
            listener.accept()[0].close()

    def test_callers_who_use_up_all_descriptors_are_survived(self):
        self.limited = ("s0",)
        self.make_federation()
        expected = self.reference()
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
        agents = {"s0": self.start("s0")}
        self.wait_for_log("s0", "s1 at")  # it listens, and has tried to dial
        callers = []
        for _ in range(300):
            caller = socket.socket()
            caller.setblocking(False)
            caller.connect_ex(("127.0.0.1", self.ports[0]))
            callers.append(caller)
        self.addCleanup(lambda: [caller.close() for caller in callers])
        self.wait_for_log("s0", "no more connections can be accepted (Failed accept4: Too many open files)")
        self.wait_for_log("s0", "listening again")
        for caller in callers:
            caller.close()
        agents.update({site: self.start(site) for site in SITES[1:]})
        self.wait_all(agents)
        self.assert_same_bits(expected)

    def test_old_tls_is_refused(self):
        self.make_federation()
        self.start("s0")
        self.wait_for_log("s0", "s1 at")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.load_verify_locations(self.folder / "authority/authority.crt")
        context.load_cert_chain(self.folder / "keys/s1.crt", self.folder / "keys/s1.key")
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
        with socket.create_connection(("127.0.0.1", self.ports[0]), timeout=20) as plain:
            with self.assertRaises(ssl.SSLError):
                context.wrap_socket(plain)
        self.wait_for_log("s0", "a caller was refused in the handshake: it does not support TLS 1.2 or later")


if __name__ == "__main__":
    unittest.main()
