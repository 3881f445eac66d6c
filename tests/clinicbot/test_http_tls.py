"""The door to the outside over TLS: the same promises once the bytes are wrapped."""

from __future__ import annotations

import ipaddress
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from clinicbot.errors import HttpMaybeSentError, HttpNotSentError
from clinicbot.http import HttpClient

LIMIT_SECONDS = 0.6


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of 127.0.0.1 that vouches for itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    begins = datetime.now(UTC) - timedelta(days=1)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begins)
        .not_valid_after(begins + timedelta(days=30))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    return path


@pytest.fixture
def url(certificate: Path) -> Iterator[str]:
    """A server that answers `/` at once and lets the body of anything else drip."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    stop = threading.Event()

    def answer(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as secure:
            while request := secure.recv(65536):
                if request.startswith(b"GET / "):
                    secure.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                    continue
                secure.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
                while not stop.wait(0.05):
                    secure.sendall(b"x")

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            try:
                answer(connection)
            except OSError:
                continue  # The client has had enough.

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve)
        thread.start()
        yield f"https://127.0.0.1:{listener.getsockname()[1]}"
        stop.set()
        listener.shutdown(socket.SHUT_RDWR)
    thread.join(timeout=5)


def client_of(url: str, *, trusting: Path | None = None) -> HttpClient:
    client = HttpClient(
        url, connect_timeout_seconds=LIMIT_SECONDS, total_timeout_seconds=LIMIT_SECONDS, max_body_bytes=10_000
    )
    if trusting:
        client._session().verify = str(trusting)
    return client


def test_an_answer_comes_back_and_the_connection_is_kept(url: str, certificate: Path) -> None:
    client = client_of(url, trusting=certificate)

    bodies = [client.get("test.read", path="/").body for _ in range(2)]

    assert bodies == [b"ok", b"ok"]


def test_a_certificate_that_nobody_vouches_for_was_not_sent_to(url: str) -> None:
    with pytest.raises(HttpNotSentError) as caught:
        client_of(url).get("test.read", path="/")

    assert caught.value.cause == "SSLCertVerificationError"


def test_a_body_that_drips_ends_with_the_total_limit(url: str, certificate: Path) -> None:
    begun = time.monotonic()

    with pytest.raises(HttpMaybeSentError):
        client_of(url, trusting=certificate).get("test.read", path="/drip")

    assert time.monotonic() - begun < LIMIT_SECONDS + 1
