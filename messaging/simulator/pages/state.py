"""All that the page shows, as one answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from flask import render_template

from messaging.simulator.pages import more_trouble, trouble
from messaging.simulator.pages.chat import bubbles_of
from messaging.simulator.pages.clockface import coming_up, face_at, jumps_at
from messaging.simulator.pages.moments import city_of, hour_of, local, moment_of, zone_of_phone
from messaging.simulator.pages.stage import choose, faces_of, list_people
from messaging.simulator.pages.words import LANGUAGE_TAGS, language_spoken, words_of
from messaging.simulator.people.phones import Phone, get_by_id
from messaging.simulator.world import World

MOST_WIRE_LINES = 60
HUES = 5
SHORT_NAME = 14


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What the page asks for: phones in their places, conversations chosen by hand, whether to follow."""

    slots: Sequence[int]
    clinics: Mapping[int, str]
    busy: Sequence[int]
    follow: bool
    seen: int
    room: int


def revision(world: World) -> str:
    """Changes whenever the page would."""
    now = world.clock.now()
    typing = world.ledger.value("SELECT count(*) FROM conversations WHERE typing_until > ?", now)
    return f"{world.ledger.change_count()}.{world.wire.count}.{int(now // 60)}.{typing}"


def state_of(world: World, wish: Wish) -> dict[str, Any]:
    ledger, now = world.ledger, world.clock.now()
    with ledger.transaction():
        people = list_people(ledger, seen=wish.seen)
        slots = choose(people, slots=wish.slots, follow=wish.follow, busy=wish.busy, room=wish.room)
        phones = [get_by_id(ledger, slot) for slot in slots]
        zones = [zone_of_phone(phone) for phone in sorted(phones, key=lambda phone: phone.id)]
        zone = zones[0] if zones else ZoneInfo("UTC")
        return {
            "slots": slots,
            "latest": max((person.last for person in people), default=0),
            "people": render_template("people.jinja", people=people, faces=faces_of(people, slots=slots), slots=slots),
            "phones": [phone_parts(world, phone, number_id=wish.clinics.get(phone.id), now=now) for phone in phones],
            "clock": clock_html(world, zone=zone, elsewhere=zones, now=now),
            "trouble": trouble_html(world, phones),
            "wire": wire_html(world, zone=zone),
        }


def phone_parts(world: World, phone: Phone, *, number_id: str | None, now: float) -> dict[str, Any]:
    """The head of a phone, and its messages one by one, so that only what changed is drawn anew."""
    zone = zone_of_phone(phone)
    clinics = clinics_of(world, phone)
    known = [clinic["id"] for clinic in clinics]
    chosen = number_id if number_id in known else (known[0] if known else None)
    bubbles = bubbles_of(world.ledger, phone, number_id=chosen, now=now) if chosen else []
    view = {
        "phone": phone,
        "words": words_of(phone.language),
        "lang": LANGUAGE_TAGS[language_spoken(phone.language)],
        "hour": hour_of(now, zone),
        "number": f"*** {phone.digits[-4:]}",
        "short_name": phone.name if len(phone.name) <= SHORT_NAME else phone.name.split()[0].rstrip(","),
        "clinics": clinics,
        "chosen": chosen,
        "waiting": sum(bubble.waits for bubble in bubbles),
        "off_since": moment_of(phone.off_since, zone, now=now, language=phone.language) if phone.off_since else "",
    }
    return {
        "id": phone.id,
        "frame": render_template("phone.jinja", **view),
        "head": render_template("phone_head.jinja", **view),
        "rows": rows_of(bubbles, view) + typing_row(world, phone, chosen, view, now=now),
        "is_on": phone.is_on,
        "number_id": chosen or "",
        "seconds": now,
    }


def clinics_of(world: World, phone: Phone) -> list[dict[str, Any]]:
    """The conversations of a phone, latest first; before the first one, whatever clinic there is."""
    rows = world.ledger.rows(
        "SELECT numbers.rowid AS place, numbers.* FROM conversations JOIN numbers ON numbers.id = conversations.number_id"
        " WHERE phone_id = ? ORDER BY last_at DESC",
        phone.id,
    ) or world.ledger.rows("SELECT numbers.rowid AS place, numbers.* FROM numbers ORDER BY rowid LIMIT 1")
    return [
        {
            "id": row["id"],
            "name": row["verified_name"],
            "initials": initials_of(row["verified_name"]),
            "hue": (row["place"] - 1) % HUES + 1,
        }
        for row in rows
    ]


def initials_of(name: str) -> str:
    """Of its first and last long words."""
    words = [word for word in name.split() if word[0].isupper()] or name.split() or ["?"]
    return (words[0][0] + words[-1][0] if len(words) > 1 else words[0][:2]).upper()


def rows_of(bubbles: Sequence[Any], view: Mapping[str, Any]) -> list[dict[str, str]]:
    rows, day, was_waiting = [], "", False
    for bubble in bubbles:
        if bubble.waits and not was_waiting:
            rows.append({"key": "off", "html": render_template("off_note.jinja", **view)})
            was_waiting = True
        elif bubble.day != day and not bubble.waits:
            day = bubble.day
            rows.append({"key": f"day {bubble.key}", "html": render_template("day_note.jinja", day=day)})
        rows.append({"key": bubble.key, "html": render_template("bubble.jinja", bubble=bubble, **view)})
    if not view["phone"].is_on and not was_waiting:
        rows.append({"key": "off", "html": render_template("off_note.jinja", **view)})
    if not bubbles and view["phone"].is_on:
        rows.append({"key": "empty", "html": render_template("day_note.jinja", day=view["words"]["empty"])})
    return rows


def typing_row(
    world: World, phone: Phone, number_id: str | None, view: Mapping[str, Any], *, now: float
) -> list[dict[str, str]]:
    until = world.ledger.value(
        "SELECT typing_until FROM conversations WHERE phone_id = ? AND number_id = ?", phone.id, number_id
    )
    if until is None or until <= now or not phone.is_on:
        return []
    return [{"key": "typing", "html": render_template("typing.jinja", **view)}]


def clock_html(world: World, *, zone: ZoneInfo, elsewhere: Sequence[ZoneInfo], now: float) -> str:
    here = local(now, zone)
    coming = coming_up(world.ledger, now=now, zone=zone)
    return render_template(
        "clock.jinja",
        here=here,
        hour=hour_of(now, zone),
        place=city_of(zone),
        elsewhere=[(hour_of(now, other), city_of(other)) for other in dict.fromkeys(elsewhere) if other != zone],
        face=face_at(here),
        jumps=jumps_at(now, zone),
        coming=coming,
        now=now,
        frozen=world.clock.is_frozen,
        has_product=bool(world.options.product_url),
    )


def trouble_html(world: World, phones: Sequence[Phone]) -> str:
    return render_template(
        "trouble.jinja",
        phones=[{"id": phone.id, "name": phone.name, "choice": trouble.phone_choice(phone)} for phone in phones],
        phone_choices=trouble.PHONE_CHOICES,
        network=trouble.network_choice(world),
        network_choices=trouble.NETWORK_CHOICES,
        receipts=trouble.receipt_switches(world.knobs.get()),
        receipt_words=trouble.RECEIPT_SWITCHES,
        window=world.knobs.get().switches.outside_window,
        window_choices=more_trouble.WINDOW_CHOICES,
        account=more_trouble.account_choice(world),
        account_choices=more_trouble.ACCOUNT_CHOICES,
        templates=more_trouble.list_templates(world),
        template_statuses=more_trouble.TEMPLATE_STATUSES,
        count=trouble.count_on(world),
    )


def wire_html(world: World, *, zone: ZoneInfo) -> str:
    lines = world.wire.since(0, limit=MOST_WIRE_LINES)[::-1]
    shown = [{**line, "hour": f"{local(line['at'], zone):%-H:%M:%S}"} for line in lines]
    return render_template("wire.jinja", lines=shown)
