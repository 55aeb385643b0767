"""Those who mean harm and have a certificate: they speak TLS and HTTP/2 byte by byte, so that they can break every rule."""

import socket
import ssl
import struct

DATA, HEADERS, RESET, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
END_STREAM, END_HEADERS, ACK = 1, 4, 1
LARGEST_FRAME = 16384  # of HTTP/2
GIGABYTE = 1 << 30
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def varint(number):
    encoded = b""
    while number > 0x7F:
        encoded += bytes([number & 0x7F | 0x80])
        number >>= 7
    return encoded + bytes([number])


def field(number, value):
    """Of a protobuf message: a whole number, or bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def hello(digest, site):
    return field(2, field(1, 2) + field(2, digest.encode()) + field(3, site.encode()))


def chunk(number, index, count, content):
    return field(3, field(1, number) + field(2, index) + field(3, count) + field(4, content))


class Refused(Exception):
    """The other side has ended the stream or the connection."""


def headers(pairs):
    return b"".join(b"\0" + bytes([len(key)]) + key.encode() + bytes([len(value)]) + value.encode()
                    for key, value in pairs.items())


def credentials(purpose, authority, certificate, key):
    context = ssl.create_default_context(purpose, cafile=authority)
    context.load_cert_chain(certificate, key)
    context.set_alpn_protocols(["h2"])
    return context


class WireStream:
    """A stream of the service Peer, at either end of a connection."""

    def __init__(self, connection):
        self.socket = connection
        self.received = b""
        self.connection_window = self.stream_window = 65535
        self.sent = 0  # bytes of frames of the service

    @staticmethod
    def frame(kind, flags, stream, payload):
        return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload

    def read(self):
        """Takes in what comes until there is a frame; obeys as far as flow control goes."""
        while len(self.received) < 9 or len(self.received) < 9 + int.from_bytes(self.received[:3], "big"):
            try:
                piece = self.socket.recv(65536)
            except OSError as error:
                raise Refused(str(error)) from error
            if not piece:
                raise Refused("the connection is closed")
            self.received += piece
        size = int.from_bytes(self.received[:3], "big")
        kind, flags, stream = struct.unpack(">BBI", self.received[3:9])
        payload, self.received = self.received[9:9 + size], self.received[9 + size:]
        if kind in (RESET, GOAWAY) or (kind == HEADERS and flags & END_STREAM):
            raise Refused("the stream is ended")
        if kind == WINDOW_UPDATE:
            more = int.from_bytes(payload, "big")
            self.connection_window += 0 if stream else more
            self.stream_window += more if stream else 0
        if kind == SETTINGS and not flags & ACK:
            for k in range(0, size, 6):
                setting, value = struct.unpack(">HI", payload[k:k + 6])
                self.stream_window += value - 65535 if setting == 4 else 0
            self.socket.sendall(self.frame(SETTINGS, ACK, 0, b""))
        if kind == PING and not flags & ACK:
            self.socket.sendall(self.frame(PING, ACK, 0, payload))
        return kind

    def send(self, content, obey=True):
        """Bytes of the stream, with an eye on what the other side has room for, or without."""
        try:
            for begin in range(0, len(content), LARGEST_FRAME):
                piece = content[begin:begin + LARGEST_FRAME]
                while obey and min(self.connection_window, self.stream_window) < len(piece):
                    self.read()
                self.socket.sendall(self.frame(DATA, 0, 1, piece))
                self.connection_window -= len(piece)
                self.stream_window -= len(piece)
                self.sent += len(piece)
        except OSError as error:
            raise Refused(str(error)) from error

    def say(self, message, obey=True):
        """A frame of the service."""
        self.send(b"\0" + struct.pack(">I", len(message)) + message, obey)

    def close(self):
        self.socket.close()


class WireClient(WireStream):
    """Calls a site."""

    def __init__(self, address, name, authority, certificate, key):
        plain = socket.create_connection(address, timeout=20)
        context = credentials(ssl.Purpose.SERVER_AUTH, authority, certificate, key)
        super().__init__(context.wrap_socket(plain, server_hostname=name))
        request = {":method": "POST", ":scheme": "https", ":path": "/gtvmin.wire.Peer/Converse", ":authority": name,
                   "content-type": "application/grpc", "te": "trailers"}
        self.socket.sendall(PREFACE + self.frame(SETTINGS, 0, 0, b"") +
                            self.frame(HEADERS, END_HEADERS, 1, headers(request)))


class WireServer(WireStream):
    """Waits at an address until a site calls whose certificate has this name."""

    def __init__(self, address, name, authority, certificate, key):
        context = credentials(ssl.Purpose.CLIENT_AUTH, authority, certificate, key)
        context.verify_mode = ssl.CERT_REQUIRED
        with socket.create_server(address) as listener:
            listener.settimeout(20)
            while True:
                connection = context.wrap_socket(listener.accept()[0], server_side=True)
                if (("DNS", name),) == connection.getpeercert()["subjectAltName"]:
                    break
                connection.close()
        connection.settimeout(20)
        super().__init__(connection)
        while len(self.received) < len(PREFACE):
            self.received += self.socket.recv(65536)
        self.received = self.received[len(PREFACE):]
        self.socket.sendall(self.frame(SETTINGS, 0, 0, b""))
        while self.read() != HEADERS:
            pass
        reply = {":status": "200", "content-type": "application/grpc"}
        self.socket.sendall(self.frame(HEADERS, END_HEADERS, 1, headers(reply)))
