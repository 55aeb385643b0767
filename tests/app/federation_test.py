"""gtvmin federation as founders and sites meet it: the public file, keys, requests and certificates."""

import os
import re
import stat
import subprocess
import tomllib
import unittest

from app import AppTest

TOPOLOGY = """name = "trial"
edges = "edges.csv"

[[site]]
name = "north"
address = "north.example:7443"
nodes = ["a", "b"]

[[site]]
name = "middle"
address = "[2001:db8::1]:7443"
nodes = ["c"]

[[site]]
name = "south"
nodes = ["d"]

[solve]
lambda = 0.1
features = ["x1", "x2"]
"""


class FederationTest(AppTest):
    def setUp(self):
        super().setUp()
        self.write("edges.csv", "source,target,weight\nd,c,1\na,b,2\nb,c,0.1\n")

    def federation(self, *arguments, expect=0):
        return self.gtvmin("federation", *arguments, expect=expect)

    def init(self, topology=TOPOLOGY, expect=0):
        self.write("topology.toml", topology)
        return self.federation("init", "topology.toml", "--out", "federation.toml", "--force", expect=expect)


class Init(FederationTest):
    def test_the_file_is_complete_and_says_who_neighbours_whom(self):
        out = self.init().stdout
        self.assertIn("middle           1 node; to north: 1; to south: 1", out)
        with open(self.folder / "federation.toml", "rb") as file:
            told = tomllib.load(file)
        self.assertEqual([site["name"] for site in told["site"]], ["north", "middle", "south"])
        self.assertEqual([site["nodes"] for site in told["site"]], [["a", "b"], ["c"], ["d"]])
        self.assertEqual(told["edges"], [["a", "b", 2], ["b", "c", 0.1], ["c", "d", 1]])
        expected = {"lambda": 0.1, "penalty": "l2", "accelerators": "none", "tol": 1e-6, "features": ["x1", "x2"]}
        self.assertEqual({name: told["solve"][name] for name in expected}, expected)

    def test_the_file_gives_itself_when_it_is_made_again(self):
        self.init()
        first = self.read("federation.toml")
        self.write("edges.csv", "source,target,weight\nc,b,0.1\nc,d,1\nb,a,2\n")
        self.init()
        self.assertEqual(self.read("federation.toml"), first)

    def test_the_name_fits_into_certificates(self):
        named = lambda name: TOPOLOGY.replace('"trial"', f'"{name}"')
        error = self.init(named(55 * "x"), expect=3).stderr
        self.assertIn("topology.toml:1:", error)
        self.assertIn("is too long: at most 54 characters", error)
        self.init(named(54 * "x"))
        self.federation("authority", "--federation", "federation.toml", "--out", "authority")

    def test_what_depends_on_other_options_is_settled(self):
        self.init(TOPOLOGY + 'method = "algorithm1"\n')
        with open(self.folder / "federation.toml", "rb") as file:
            solve = tomllib.load(file)["solve"]
        self.assertEqual((solve["tol"], solve["max-iterations"]), (0, 1000))

    def test_values_are_checked_as_gtvmin_solve_does(self):
        for line, message in [
                ("tol = 2", "topology.toml:21: 'tol' must be ≥ 0 and < 1, not 2"),
                ("penalti = 'l1'", "topology.toml:21: unknown option 'penalti'; did you mean 'penalty'?"),
                ("penalty = 'l3'", "topology.toml:21: 'penalty' must be one of"),
                ("loss = 'huber'\nmodel = 'logistic'", "topology.toml: [solve]: --loss needs --model linear"),
                ("model = 'softmax'", "topology.toml: [solve]: 'classes' must list the classes"),
                ("model = 'softmax'\nclasses = ['x', 'x']", "topology.toml:22: 'classes' must list the classes"),
                ("classes = ['x', 'y']", "topology.toml:21: 'classes' is for models with classes, not for linear")]:
            with self.subTest(line):
                self.assertIn(message, self.init(TOPOLOGY + line + "\n", expect=3).stderr)
        self.init(TOPOLOGY + "model = 'softmax'\nclasses = ['x', 'y', 'z']\n")

    def test_what_needs_everybodys_data_or_makes_no_sense_is_refused_by_name(self):
        for line in ["standardize = true", "polish = 'on'", "accelerators = 'auto'", "write = ['flows']", "data = 'x.csv'", "data-dir = 'x'", "edges = 'x.csv'",
                     "out = 'x'", "force = true", "json = true", "progress = true", "threads = 2", "shards = 2", "network-loss = 0.1",
                     "time-limit = 5", "quadratic-matrix = 'q.csv'", "covariance = 'c.csv'", "module = 'm.pt'",
                     "penalty = 'quadratic'", "model = 'torchscript'"]:
            with self.subTest(line):
                name = line.split(" ")[0]
                self.assertRegex(self.init(TOPOLOGY + line + "\n", expect=3).stderr,
                                 re.compile(rf"^topology.toml:21: '{name}' \w+", re.MULTILINE))
        self.assertFalse((self.folder / "federation.toml").exists())

    def test_lambda_and_features_are_required(self):
        error = self.init(TOPOLOGY.split("lambda")[0], expect=3).stderr
        self.assertIn("topology.toml: [solve]: 'lambda' is missing", error)
        self.assertIn("topology.toml: [solve]: 'features' is missing", error)

    def test_nodes_without_a_site_or_in_two_are_listed_with_their_places(self):
        self.write("edges.csv", "source,target\na,b\nb,x\n")
        error = self.init(TOPOLOGY.replace('["c"]', '["c", "a"]'), expect=3).stderr
        self.assertEqual(error, 'topology.toml:12: node "a" is in two sites, "north" and "middle"\n'
                                'edges.csv:3: node "x" belongs to no site\n')

    def test_sites_without_a_connection_are_named(self):
        self.write("edges.csv", "source,target\na,b\nb,c\n")
        self.assertIn('topology.toml:4: all sites must be connected, but no path of edges leads from '
                      '"north" to "south"', self.init(expect=3).stderr)

    def test_an_existing_file_needs_force(self):
        self.init()
        self.assertIn("--force", self.federation("init", "topology.toml", "--out", "federation.toml", expect=2).stderr)


@unittest.skipUnless(os.environ.get("GTVMIN_HAS_FEDERATION") == "ON", "built without OpenSSL")
class Certificates(FederationTest):
    def setUp(self):
        super().setUp()
        self.init()
        self.make_authority()

    def make_authority(self, out="authority", *options):
        self.federation("authority", "--federation", "federation.toml", "--out", out, *options)

    def request(self, site="north", expect=0):
        return self.federation("certificate", "--federation", "federation.toml", "--site", site, "--out", site,
                               expect=expect)

    def sign(self, request="north/north.csr", out="north/north.crt", *options, authority="authority", expect=0):
        return self.federation("sign", "--federation", "federation.toml", "--authority", authority, "--request", request,
                               "--out", out, *options, expect=expect)

    def openssl(self, *arguments, expect=0):
        done = subprocess.run(["openssl", *arguments], cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode == 0, expect == 0, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_openssl_accepts_what_was_signed(self):
        told = self.request().stdout
        signed = self.sign().stdout
        digest = re.search(r"[0-9a-f]{64}", told).group()
        self.assertIn(digest, signed)
        self.assertIn(digest, self.openssl("dgst", "-sha256", "north/north.csr"))
        for purpose in ("sslserver", "sslclient"):
            self.openssl("verify", "-x509_strict", "-purpose", purpose, "-verify_hostname", "north.trial", "-CAfile",
                         "authority/authority.crt", "north/north.crt")
        self.openssl("verify", "-verify_hostname", "south.trial", "-CAfile", "authority/authority.crt",
                     "north/north.crt", expect=1)
        text = self.openssl("x509", "-in", "north/north.crt", "-noout", "-text")
        for part in ("Subject: CN = north\n", "Issuer: CN = trial authority\n", "NIST CURVE: P-256", "CA:FALSE",
                     "TLS Web Server Authentication, TLS Web Client Authentication", "DNS:north.trial\n"):
            self.assertIn(part, text)
        own = self.openssl("pkey", "-in", "north/north.key", "-pubout")
        self.assertEqual(own, self.openssl("x509", "-in", "north/north.crt", "-noout", "-pubkey"))
        text = self.openssl("x509", "-in", "authority/authority.crt", "-noout", "-text")
        for part in ("CA:TRUE, pathlen:0", "Certificate Sign", "NIST CURVE: P-256"):
            self.assertIn(part, text)

    def test_keys_are_for_their_owner_alone_and_never_replaced(self):
        self.request()
        for key in ("authority/authority.key", "north/north.key"):
            self.assertEqual(stat.S_IMODE((self.folder / key).stat().st_mode), 0o600)
        before = self.read("north/north.key")
        self.assertIn("north/north.key: exists already", self.request(expect=2).stderr)
        self.assertEqual(self.read("north/north.key"), before)
        self.assertIn("authority/authority.key: exists already",
                      self.federation("authority", "--federation", "federation.toml", "--out", "authority",
                                      expect=2).stderr)

    def test_an_authority_whose_key_others_can_read_does_not_sign(self):
        self.request()
        (self.folder / "authority/authority.key").chmod(0o640)
        self.assertIn("authority/authority.key: accessible by others than its owner", self.sign(expect=3).stderr)

    def test_an_unknown_site_gets_no_key(self):
        self.assertIn("'west' is not a site of federation.toml", self.request("west", expect=2).stderr)
        self.assertFalse((self.folder / "west").exists())

    def test_a_request_that_was_changed_is_not_signed(self):
        self.request()
        der = self.folder / "r.der"
        self.openssl("req", "-in", "north/north.csr", "-outform", "DER", "-out", "r.der")
        der.write_bytes(der.read_bytes().replace(b"north", b"south"))
        self.openssl("req", "-inform", "DER", "-in", "r.der", "-out", "changed.csr")
        self.assertIn("changed.csr: the signature does not match the requested key", self.sign("changed.csr", "c.crt", expect=3).stderr)
        self.assertFalse((self.folder / "c.crt").exists())

    def test_requests_that_openssl_makes_for_others_are_refused(self):
        for name, dns, message in [("west", "west.trial", 'requests "west", which is not a site'),
                                   ("north", "north.else", 'requests the DNS name "north.else"'),
                                   ("north", "north.trial,DNS:south.trial", 'requests the DNS name ""')]:
            self.openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-keyout",
                         "k.pem", "-out", "r.csr", "-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{dns}")
            self.assertIn(message, self.sign("r.csr", "c.crt", expect=3).stderr)
        self.openssl("req", "-new", "-newkey", "rsa:2048", "-noenc", "-keyout", "k.pem", "-out", "r.csr", "-subj",
                     "/CN=north", "-addext", "subjectAltName=DNS:north.trial")
        self.assertIn("r.csr: requests a key that is not EC P-256", self.sign("r.csr", "c.crt", expect=3).stderr)
        self.write("r.csr", b"\x00garbage")
        self.assertIn("r.csr: is not a signing request in PEM form", self.sign("r.csr", "c.crt", expect=3).stderr)

    def test_extensions_that_a_request_asks_for_are_not_granted(self):
        self.openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-keyout", "k.pem",
                     "-out", "r.csr", "-subj", "/O=Evil/CN=north", "-addext", "subjectAltName=DNS:north.trial",
                     "-addext", "basicConstraints=critical,CA:TRUE")
        self.sign("r.csr", "c.crt")
        text = self.openssl("x509", "-in", "c.crt", "-noout", "-text")
        self.assertIn("CA:FALSE", text)
        self.assertNotIn("Evil", text)

    def test_another_authority_is_told_apart(self):
        self.request()
        self.make_authority("second")
        self.sign(out="c.crt", authority="second")
        self.openssl("verify", "-CAfile", "authority/authority.crt", "c.crt", expect=1)
        (self.folder / "second/authority.crt").write_bytes(self.read("authority/authority.crt"))
        self.assertIn("second/authority.key: is not the key of second/authority.crt",
                      self.sign(out="d.crt", authority="second", expect=3).stderr)

    def test_days_have_bounds(self):
        self.request()
        self.assertIn("--days must be 1 to 7300, not 0",
                      self.sign("north/north.csr", "c.crt", "--days", "0", expect=2).stderr)
        self.make_authority("brief", "--days", "10")
        self.assertIn("before that of the site would",
                      self.sign("north/north.csr", "c.crt", "--days", "11", authority="brief", expect=3).stderr)
        self.sign("north/north.csr", "c.crt", "--days", "9", authority="brief")

    def test_a_certificate_is_replaced_only_by_force(self):
        self.request()
        self.sign()
        self.assertIn("--force", self.sign(expect=2).stderr)
        self.sign("north/north.csr", "north/north.crt", "--force")
