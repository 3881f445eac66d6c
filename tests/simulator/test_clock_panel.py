"""The clock panel beside a product: the product's clock leads."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import parse_qs

import requests

from tests.simulator.conftest import NOW
from tests.simulator.receiver import running_receiver
from tests.simulator.running import running_simulator


def test_the_products_clock_is_asked_first_and_both_move() -> None:
    with (
        running_receiver() as product,
        running_simulator(product_url=product.url.removesuffix("/webhook/")) as simulator,
    ):
        simulator.reset(clock=NOW, frozen=True)

        hour = requests.post(f"{simulator.url}/clock", json={"by": 3600}, timeout=10)
        nothing_planned = requests.post(f"{simulator.url}/clock", json={"next": True}, timeout=10)

        assert (hour.json(), nothing_planned.json()) == ({"moved": True}, {"moved": False})
        assert [post.path for post in product.received] == ["/demo/clock/"] * 2
        assert {post.headers["Origin"] for post in product.received} == {simulator.url}
        assert [parse_qs(post.raw.decode())["to"] for post in product.received] == [
            [(NOW + timedelta(hours=1)).isoformat()],
            ["next"],
        ]
        assert simulator.now() == NOW + timedelta(hours=1)


def test_where_the_product_does_not_move_nothing_moves() -> None:
    with (
        running_receiver() as product,
        running_simulator(product_url=product.url.removesuffix("/webhook/")) as simulator,
    ):
        simulator.reset(clock=NOW, frozen=True)
        product.answers = [500]

        answer = requests.post(f"{simulator.url}/clock", json={"by": 3600}, timeout=10)

        assert (answer.status_code, answer.json()["error"]["code"]) == (502, "product_did_not_move")
        assert simulator.now() == NOW
