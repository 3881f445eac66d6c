"""A provider in a process of its own, which takes every message after the same time.

python -m tests.bench.provider PORT SECONDS
"""

from __future__ import annotations

import asyncio
import itertools
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from clinicbot.demo.ports import answers

READY_SECONDS = 30


@contextmanager
def running_provider(*, port: int, seconds: float) -> Iterator[None]:
    process = subprocess.Popen([sys.executable, "-m", "tests.bench.provider", str(port), str(seconds)])
    try:
        assert answers(port, within_seconds=READY_SECONDS)
        yield
    finally:
        process.terminate()
        process.wait(30)


async def serve(port: int, seconds: float) -> None:
    ids = itertools.count(1)

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await _head(reader):
            await reader.readexactly(_length(head))
            ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            asyncio.get_running_loop().call_later(seconds, ready.set_result, None)
            await ready
            writer.write(_answer(f"wamid.bench{next(ids)}"))
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(take, "127.0.0.1", port)
    async with server:
        await server.serve_forever()


async def _head(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionResetError):
        return b""


def _length(head: bytes) -> int:
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return int(line.partition(b":")[2])
    return 0


def _answer(provider_message_id: str) -> bytes:
    body = json.dumps({"messaging_product": "whatsapp", "messages": [{"id": provider_message_id}]}).encode()
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), float(sys.argv[2])))
