"""A patient on the own page, with no more than it shows: links, forms, and what stands in them."""

from __future__ import annotations

import html
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from urllib.parse import parse_qs, urljoin, urlsplit

import requests

FORM = re.compile(r'<form[^>]*method="post"(?: action="(?P<action>[^"]*)")?[^>]*>(?P<inside>.*?)</form>', re.DOTALL)
WISH = re.compile(r'name="visit" value="(\d+):(\d+)"')
LINK = re.compile(r'href="([^"]+)"')
CALL_SECONDS = 30
SEE_OTHER = 302
TAKEN_MEANWHILE = 409


@dataclass(frozen=True, slots=True, kw_only=True)
class Time:
    """practitioner: the number of our row."""

    practitioner: int
    day: date
    time: time


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """What the page offers for a visit, and which of it was taken."""

    visit: int
    offered: Sequence[Time]
    taken: Time | None


class Page:
    """`link`: as it stands in a message."""

    def __init__(self, link: str, dice: random.Random) -> None:
        self._link, self._dice = link, dice
        self._session = requests.Session()
        self._session.trust_env = False

    def confirm(self) -> Sequence[int]:
        """For one, or for all. The visits; none where there is nothing to confirm."""
        forms = [form for form in FORM.finditer(self._get(self._link)) if (form["action"] or "").endswith("/confirm/")]
        if not forms:
            return ()
        form = self._dice.choice(forms)
        wishes = WISH.findall(form["inside"])
        self._post(form["action"], visit=[":".join(wish) for wish in wishes])
        return [int(visit) for visit, _ in wishes]

    def cancel(self) -> Sequence[int]:
        """The one whose button it was; now and then all that are offered to be ticked."""
        links = self._links(self._get(self._link), "/cancel/")
        if not links:
            return ()
        link = self._dice.choice(links)
        wishes = WISH.findall(self._get(link))
        if self._dice.random() < 0.6:
            wishes = [wish for wish in wishes if wish[0] == parse_qs(urlsplit(link).query)["visit"][0]]
        self._post(link, visit=[":".join(wish) for wish in wishes])
        return [int(visit) for visit, _ in wishes]

    def move(self) -> Times | None:
        """To one of the times that are offered, where there are any; None where nothing can be moved."""
        links = self._links(self._get(self._link), "/change/")
        if not links:
            return None
        link = self._dice.choice(links)
        times = self._links(self._get(link), "&at=")
        offered = [_time(parse_qs(urlsplit(one).query)["at"][0]) for one in times]
        visit = int(parse_qs(urlsplit(link).query)["visit"][0])
        return Times(visit=visit, offered=offered, taken=self._take(self._dice.choice(times)) if times else None)

    def _take(self, link: str) -> Time:
        form = next(FORM.finditer(self._get(link)))
        code = re.findall(r'name="at" value="([^"]+)"', form["inside"])[0]
        self._post(form["action"], visit=[":".join(wish) for wish in WISH.findall(form["inside"])], at=code)
        return _time(code)

    def _links(self, page: str, part: str) -> list[str]:
        return [link for link in map(html.unescape, LINK.findall(page)) if part in link]

    def _get(self, link: str) -> str:
        response = self._session.get(urljoin(self._link, link), timeout=CALL_SECONDS)
        assert response.ok, f"{response.status_code} on a patient's page"
        return response.text

    def _post(self, link: str, **fields: str | list[str]) -> None:
        response = self._session.post(
            urljoin(self._link, link), data=fields, timeout=CALL_SECONDS, allow_redirects=False
        )
        assert response.status_code == SEE_OTHER, f"{response.status_code} after a button of a patient's page"


def _time(code: str) -> Time:
    moment, practitioner, _room = code.split("-")
    when = datetime.strptime(moment, "%Y%m%dT%H%M")  # noqa: DTZ007  A clinic's wall clock has no zone here.
    return Time(practitioner=int(practitioner), day=when.date(), time=when.time())
