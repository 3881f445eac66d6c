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
class MovedTo:
    """practitioner: the number of our row."""

    visit: int
    practitioner: int
    day: date
    time: time


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

    def move(self) -> MovedTo | None:
        """To one of the times that are offered; None where there is none."""
        links = self._links(self._get(self._link), "/change/")
        times = self._links(self._get(self._dice.choice(links)), "&at=") if links else []
        if not times:
            return None
        review = self._get(self._dice.choice(times))
        form = next(FORM.finditer(review))
        [(visit, version)] = WISH.findall(form["inside"])
        code = re.findall(r'name="at" value="([^"]+)"', form["inside"])[0]
        self._post(form["action"], visit=[f"{visit}:{version}"], at=code)
        moment, practitioner, _room = code.split("-")
        when = datetime.strptime(moment, "%Y%m%dT%H%M")  # noqa: DTZ007  A clinic's wall clock has no zone here.
        return MovedTo(visit=int(visit), practitioner=int(practitioner), day=when.date(), time=when.time())

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
