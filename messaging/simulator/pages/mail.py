"""The mail box, to read: a list, and one letter at a time."""

from __future__ import annotations

from datetime import UTC, datetime

from flask import Blueprint, render_template
from flask.typing import ResponseReturnValue

from messaging.simulator.control.common import the_world
from messaging.simulator.mail.letters import find_letter, list_letters
from messaging.simulator.pages.routes import guard

mail = Blueprint("mail", __name__, url_prefix="/mail")
mail.after_request(guard)


@mail.get("/")
def box() -> ResponseReturnValue:
    world = the_world()
    return render_template(
        "mail.jinja", letters=list_letters(world.ledger), moment=in_utc, product_url=world.options.product_url
    )


@mail.get("/<int:letter_id>/")
def letter(letter_id: int) -> ResponseReturnValue:
    world = the_world()
    found = find_letter(world.ledger, letter_id)
    page = render_template("letter.jinja", letter=found, moment=in_utc, product_url=world.options.product_url)
    return page, 200 if found else 404


def in_utc(at: float) -> str:
    return datetime.fromtimestamp(at, tz=UTC).strftime("%Y-%m-%d %H:%M UTC")
