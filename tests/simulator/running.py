"""A running simulator for any test: its own process and port, driven over HTTP.

    with running_simulator(webhook_url=f"{live_server.url}/webhooks/whatsapp/") as simulator:
        simulator.provision()
        simulator.phone("+573001234567", name="Ana")
        ...
        simulator.settle()
        simulator.tap("+573001234567", "Confirm")

See messaging/simulator/README.md for what each call takes.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import requests

from tests.canary import children

ROOT = Path(__file__).parents[2]
VERSION = "v26.0"
TOKEN = "EAA-simulator-token"
WABA_ID = "102290129340398"
NUMBER_ID = "106540352242922"
BUSINESS_NUMBER = "+57 601 555 0100"
APP_SECRET = "simulator-app-secret"
VERIFY_TOKEN = "simulator-verify-token"
CALL_SECONDS = 150
LOOK_SECONDS = 0.05


class Simulator:
    """A client. Each method is one call to the control side; what comes back is its JSON."""

    def __init__(
        self, *, ledger: Path, webhook_url: str, app_secret: str, verify_token: str, product_url: str = ""
    ) -> None:
        self._ledger, self._port, self.mail_port = ledger, 0, 0
        self._product_url = product_url
        self._webhook = (webhook_url, app_secret, verify_token)
        self._process: subprocess.Popen[str] | None = None
        self._session = requests.Session()
        self._session.trust_env = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def graph_url(self) -> str:
        """What `WHATSAPP_GRAPH_URL` takes."""
        return self.url

    def start(self) -> None:
        """Again on the same port, with the same ledger, after a stop."""
        webhook_url, app_secret, verify_token = self._webhook
        command = [
            sys.executable,
            "-m",
            "messaging.simulator",
            "--port",
            str(self._port),
            "--mail-port",
            str(self.mail_port),
            "--ledger",
            str(self._ledger),
        ]
        command += ["--webhook-url", webhook_url, "--app-secret", app_secret, "--verify-token", verify_token]
        command += ["--product-url", self._product_url]
        with children.open_log("simulator") or nullcontext() as log:
            self._process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=log, text=True)
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if "http://" not in line:
            self._end()
            raise AssertionError("the simulator did not start")
        self._port = int(line.rstrip("/\n").rsplit(":", 1)[1])
        self.mail_port = int(self._process.stdout.readline().rsplit(":", 1)[1])

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._end()

    def kill(self) -> None:
        """As a power cut would."""
        if self._process is not None:
            self._process.kill()
            self._end()

    def _end(self) -> None:
        assert self._process is not None
        self._process.wait(timeout=30)
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._process = None
        self._session.close()

    def control(self, method: str, path: str, body: Mapping[str, Any] | None = None, **query: Any) -> dict[str, Any]:
        """Any control call. Raises: AssertionError: it was refused."""
        url = f"{self.url}/control/{path}"
        response = self._session.request(method, url, json=body, params=query, timeout=CALL_SECONDS)
        assert response.ok, f"{method} {path}: {response.status_code} {response.text}"
        answer: dict[str, Any] = response.json()
        return answer

    def graph(
        self, method: str, path: str, *, token: str = TOKEN, version: str = VERSION, **rest: Any
    ) -> requests.Response:
        """A call as the product makes it."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        rest.setdefault("timeout", CALL_SECONDS)
        return self._session.request(method, f"{self.url}/{version}/{path}", headers=headers, **rest)

    def send(self, message: Mapping[str, Any], *, number_id: str = NUMBER_ID, **rest: Any) -> requests.Response:
        body = {"messaging_product": "whatsapp", **message}
        return self.graph("POST", f"{number_id}/messages", json=body, **rest)

    def reset(self, *, clock: datetime | None = None, frozen: bool = False) -> None:
        """Forget everything. Only here may the clock go back."""
        body: dict[str, Any] = {"frozen": frozen}
        if clock is not None:
            body["clock"] = clock.isoformat()
        self.control("POST", "reset", body)

    def provision(
        self,
        *,
        accounts: Sequence[Mapping[str, Any]] | None = None,
        phones: Sequence[Mapping[str, Any]] = (),
        knobs: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """One account with one number if none are named. Receipts are instant unless `knobs` say otherwise."""
        body: dict[str, Any] = {
            "accounts": list(accounts) if accounts is not None else [account()],
            "phones": list(phones),
        }
        body["knobs"] = knobs if knobs is not None else {"receipts": {"instant": True}}
        return self.control("POST", "provision", body)

    def now(self) -> datetime:
        return datetime.fromisoformat(self.control("GET", "clock")["now"])

    def set_clock(self, at: datetime, *, frozen: bool | None = None) -> None:
        body: dict[str, Any] = {"set": at.isoformat()}
        if frozen is not None:
            body["frozen"] = frozen
        self.control("POST", "clock", body)

    def advance(self, by: timedelta) -> None:
        self.control("POST", "clock", {"advance_seconds": by.total_seconds()})

    def knobs(self, **groups: Mapping[str, Any]) -> dict[str, Any]:
        """`knobs(receipts={"twice": True}, limits={"pair": False})`."""
        return self.control("PATCH", "knobs", groups)

    def fault(self, do: str, **rest: Any) -> int:
        """`fault("answer", code=131016, count=3)`, `fault("hang", when="after", seconds=5, count=1)`."""
        return int(self.control("POST", "faults", {"do": do, **rest})["id"])

    def clear_faults(self) -> None:
        self.control("DELETE", "faults")

    def refuse_connections(self, seconds: float) -> None:
        """Returns once nothing listens."""
        self.control("POST", "refuse", {"seconds": seconds})
        while self.is_listening():
            pass

    def wait_until_listening(self) -> None:
        while not self.is_listening():
            pass

    def is_listening(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self._port), timeout=5) as line:
                line.settimeout(LOOK_SECONDS)
                return line.recv(1) != b""
        except TimeoutError:
            return True
        except OSError:
            return False

    def event(self, event: str, **rest: Any) -> None:
        """`event("template_status", template_id=..., status="PAUSED")`."""
        self.control("POST", "events", {"event": event, **rest})

    def phone(self, number: str, **traits: Any) -> dict[str, Any]:
        """Make it, or describe it anew: name, language, on, off_until, on_whatsapp, blocks_us, receipts ..."""
        return self.control("POST", "phones", {"number": number, **traits})

    def phones(self) -> list[dict[str, Any]]:
        phones: list[dict[str, Any]] = self.control("GET", "phones")["phones"]
        return phones

    def turn_off(self, number: str) -> None:
        self.control("PATCH", f"phones/{number}", {"on": False})

    def turn_on(self, number: str) -> None:
        self.control("PATCH", f"phones/{number}", {"on": True})

    def act(self, number: str, do: str, /, **rest: Any) -> str | None:
        """The new inbound wamid."""
        wamid: str | None = self.control("POST", f"phones/{number}/act", {"do": do, **rest})["message"]
        return wamid

    def tap(self, number: str, button: str | int, **rest: Any) -> str | None:
        """By title, id, payload or place; `message=wamid` for an old one."""
        return self.act(number, "tap", button=button, **rest)

    def pick(self, number: str, row: str, **rest: Any) -> str | None:
        return self.act(number, "pick", row=row, **rest)

    def type_text(self, number: str, body: str, **rest: Any) -> str | None:
        return self.act(number, "text", body=body, **rest)

    def messages(self, **filters: Any) -> list[dict[str, Any]]:
        """Oldest first; by phone, direction, callback, state."""
        messages: list[dict[str, Any]] = self.control("GET", "messages", **filters)["messages"]
        return messages

    def on_phone(self, number: str) -> list[dict[str, Any]]:
        """What stands on a phone."""
        return [one for one in self.messages(phone=number) if one["direction"] == "in" or one["delivered_at"]]

    def counts(self) -> dict[str, Any]:
        """accepted, by_state, doubled_callbacks, updates, posts ..."""
        return self.control("GET", "counts")

    def recipients(self) -> list[dict[str, Any]]:
        """Of each phone: addressed, accepted, delivered, read, failed."""
        recipients: list[dict[str, Any]] = self.control("GET", "recipients")["recipients"]
        return recipients

    def posts(self, limit: int = 100) -> list[dict[str, Any]]:
        """Posts to the webhook, newest first."""
        posts: list[dict[str, Any]] = self.control("GET", "posts", limit=limit)["posts"]
        return posts

    def wire(self) -> list[dict[str, Any]]:
        lines: list[dict[str, Any]] = self.control("GET", "wire")["lines"]
        return lines

    def settle(self, *, timeout: float = 15, hurry_retries: bool = False, hurry_receipts: bool = False) -> None:
        """Wait until all that is due was told. Raises: AssertionError: it was not, in time."""
        body = {"timeout": timeout, "hurry_retries": hurry_retries, "hurry_receipts": hurry_receipts}
        answer = self.control("POST", "settle", body)
        assert answer["settled"], f"not settled: {answer['pending']}"

    def release_receipts(self) -> None:
        self.control("POST", "receipts/release", {})

    def post_raw(self, **rest: Any) -> int:
        """The HTTP status with which the webhook answered a body posted by hand: `body=` or `text=`, `signature=`."""
        return int(self.control("POST", "webhook/raw", rest)["status"])


def account(**rest: Any) -> dict[str, Any]:
    """One account for `provision`, to be changed at will."""
    number = {"id": NUMBER_ID, "number": BUSINESS_NUMBER, "verified_name": "Clinic"}
    return {"id": WABA_ID, "name": "Clinic", "tokens": [TOKEN], "numbers": [number], "templates": [], **rest}


@contextmanager
def running_simulator(
    *,
    webhook_url: str = "",
    app_secret: str = APP_SECRET,
    verify_token: str = VERIFY_TOKEN,
    ledger: Path | None = None,
    product_url: str = "",
) -> Iterator[Simulator]:
    """Started and ready; stopped at the end. Without `webhook_url` nothing is posted until `knobs(webhook=...)`."""
    with tempfile.TemporaryDirectory(prefix="simulator") as folder:
        path = ledger or Path(folder) / "ledger.sqlite3"
        simulator = Simulator(
            ledger=path,
            webhook_url=webhook_url,
            app_secret=app_secret,
            verify_token=verify_token,
            product_url=product_url,
        )
        simulator.start()
        try:
            yield simulator
        finally:
            simulator.stop()
