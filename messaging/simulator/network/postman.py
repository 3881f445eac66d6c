"""Posts updates to the business: after the handshake, signed, again and again until a 2xx comes back."""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from messaging.simulator.network.calls import Answer, call, shake_hands
from messaging.simulator.network.posts import form_posts, signature_headers
from messaging.simulator.network.steps import take_due_steps
from messaging.simulator.world import World

logger = logging.getLogger(__name__)

MOST_THREADS = 16
HANDSHAKE_EVERY_SECONDS = 1.0
LONGEST_PAUSE_SECONDS, SHORTEST_PAUSE_SECONDS = 0.5, 0.01
MOST_IN_SIGHT = 200


class Postman:
    """One thread that looks what is due, and a few that carry it."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._carriers = ThreadPoolExecutor(MOST_THREADS, thread_name_prefix="carrier")
        self._thread = threading.Thread(target=self._run, name="postman", daemon=True)
        self._shook_at, self._shook_with = float("-inf"), ("", "")

    def start(self) -> None:
        # What was on its way when the last process ended may not have arrived.
        self._world.ledger.change("UPDATE posts SET state = 'due' WHERE state = 'flying'")
        self._thread.start()

    def stop(self) -> None:
        self._world.closing.set()
        self._world.announce()
        self._thread.join()
        self._carriers.shutdown(wait=True, cancel_futures=True)

    def _run(self) -> None:
        while not self._world.closing.is_set():
            if self._round_that_may_fail():
                continue
            self._world.poked.wait(self._pause_seconds())
            self._world.poked.clear()

    def _round_that_may_fail(self) -> bool:
        try:
            return self.make_round()
        except Exception:  # One broken update must not end all deliveries: the others are due in the next round.
            logger.exception("A round of the postman failed.")
            return False

    def make_round(self) -> bool:
        """Whether anything was due."""
        now = self._world.clock.now()
        worked = take_due_steps(self._world, now=now) > 0
        webhook = self._world.knobs.get().webhook
        if self._is_welcome():
            free = webhook.concurrency - self._flying()
            if free > 0 and not webhook.hold:
                worked = form_posts(self._world, now=now, most=free) > 0 or worked
            worked = self._send_out(free, now=now) > 0 or worked
        if worked:
            with self._world.changed:
                self._world.changed.notify_all()
        return worked

    def _flying(self) -> int:
        count: int = self._world.ledger.value("SELECT count(*) FROM posts WHERE state = 'flying'")
        return count

    def _is_welcome(self) -> bool:
        """Whether the handshake was made; tries it now and then if not."""
        webhook = self._world.knobs.get().webhook
        if webhook.is_verified or not webhook.url:
            return webhook.is_verified
        is_too_soon = time.monotonic() - self._shook_at < HANDSHAKE_EVERY_SECONDS
        if (is_too_soon and self._shook_with == (webhook.url, webhook.verify_token)) or not self._has_news():
            return False
        self._shook_at, self._shook_with = time.monotonic(), (webhook.url, webhook.verify_token)
        is_welcome = shake_hands(webhook.url, verify_token=webhook.verify_token)
        self._world.wire.note("GET", "handshake", answer="200" if is_welcome else "refused", at=self._world.clock.now())
        if is_welcome and self._world.knobs.get().webhook == webhook:
            self._world.knobs.turn({"webhook": {"is_verified": True}})
        return is_welcome

    def _has_news(self) -> bool:
        return bool(
            self._world.ledger.value(
                "SELECT EXISTS (SELECT 1 FROM updates WHERE state = 'waiting')"
                " OR EXISTS (SELECT 1 FROM posts WHERE state = 'due')"
            )
        )

    def _send_out(self, free: int, *, now: float) -> int:
        """Hand due posts to carriers. Two posts about the same person do not fly at once, nor overtake one another."""
        sent = 0
        with self._world.ledger.transaction():
            posts = self._world.ledger.rows(
                "SELECT * FROM posts WHERE state = 'flying' OR (state = 'due' AND due_at <= ?)"
                " ORDER BY state = 'due', due_at, id LIMIT ?",
                now, MOST_IN_SIGHT,
            )  # fmt: skip
            busy: set[str] = set()
            for post in posts:
                lanes = set(json.loads(post["lanes"]))
                if post["state"] == "due" and sent < free and not lanes & busy:
                    self._world.ledger.amend("posts", ("id", post["id"]), state="flying")
                    self._carriers.submit(self._carry, post)
                    sent += 1
                busy |= lanes
        return sent

    def _carry(self, post: sqlite3.Row) -> None:
        webhook = self._world.knobs.get().webhook
        body = post["body"].encode()
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "facebookexternalua",
            **signature_headers(body, secret=webhook.app_secret, form=self._signature_form()),
        }
        if webhook.in_parallel_twice:
            twin = threading.Thread(target=self._post, args=(webhook.url, body, headers, webhook.timeout_seconds))
            twin.start()
            answer = self._post(webhook.url, body, headers, webhook.timeout_seconds)
            twin.join()
        else:
            answer = self._post(webhook.url, body, headers, webhook.timeout_seconds)
        self._record(post, answer)

    def _post(self, url: str, body: bytes, headers: dict[str, str], timeout: float) -> Answer:
        return call(url, method="POST", body=body, headers=headers, timeout=timeout)

    def _signature_form(self) -> str:
        """The odd forms are used up one post at a time, unless told to stay (`signature_left` below 0)."""
        with self._world.ledger.transaction():
            webhook = self._world.knobs.get().webhook
            if webhook.signature == "right":
                return "right"
            if webhook.signature_left > 1:
                self._world.knobs.turn({"webhook": {"signature_left": webhook.signature_left - 1}})
            elif webhook.signature_left >= 0:
                self._world.knobs.turn({"webhook": {"signature": "right", "signature_left": 0}})
            return webhook.signature

    def _record(self, post: sqlite3.Row, answer: Answer) -> None:
        """Done on 2xx; else due again later, up to the day it is given up."""
        webhook = self._world.knobs.get().webhook
        now = self._world.clock.now()
        attempts = post["attempts"] + 1
        answers = [*json.loads(post["answers"]), {"at": now, "answer": answer.words}]
        if answer.is_good:
            state, due_at = "done", now
        else:
            wait = min(webhook.retry_first_seconds * 2 ** (attempts - 1), webhook.retry_longest_seconds)
            gone = now - post["created_at"] >= webhook.give_up_after_seconds
            state, due_at = ("given up" if gone else "due"), now + wait
        if not self._world.closing.is_set() or answer.is_good:
            self._world.ledger.amend(
                "posts", ("id", post["id"]), state=state, due_at=due_at, attempts=attempts, answers=json.dumps(answers)
            )
        self._world.wire.note("hook", post["summary"], answer=answer.words, at=now)
        self._world.announce()

    def _pause_seconds(self) -> float:
        if self._world.clock.is_frozen:
            return LONGEST_PAUSE_SECONDS
        next_at: float | None = self._world.ledger.value(
            "SELECT min(due_at) FROM (SELECT min(due_at) AS due_at FROM steps"
            " UNION ALL SELECT min(due_at) FROM updates WHERE state = 'waiting'"
            " UNION ALL SELECT min(due_at) FROM posts WHERE state = 'due')"
        )
        if next_at is None:
            return LONGEST_PAUSE_SECONDS
        return min(max(next_at - self._world.clock.now(), SHORTEST_PAUSE_SECONDS), LONGEST_PAUSE_SECONDS)
