"""Who is calling, and may they touch that number or account?"""

from __future__ import annotations

import re
import sqlite3

from messaging.simulator.graph.errors import GraphError
from messaging.simulator.world import World

VERSION = re.compile(r"v(\d+)\.\d+")
OLDEST_VERSION = 21


def check_version(version: str) -> None:
    """Raises: GraphError: 2500 if there is none in the path, 2635 if it is gone."""
    match = VERSION.fullmatch(version)
    if match is None:
        raise GraphError(2500, f"Unknown path components: /{version}")
    if int(match[1]) < OLDEST_VERSION:
        raise GraphError(2635, f"Version {version} is no longer available.")


def accounts_of(world: World, authorization: str | None) -> set[str]:
    """The accounts a bearer token opens. Raises: GraphError: 190 (or 0, by switch)."""
    scheme, _, token = (authorization or "").partition(" ")
    rows = world.ledger.rows("SELECT waba_id FROM tokens WHERE token = ?", token.strip())
    if scheme.lower() != "bearer" or not rows:
        raise GraphError(world.knobs.get().switches.auth_code, "Invalid OAuth access token.", http=401)
    return {row["waba_id"] for row in rows}


def get_number(world: World, number_id: str, *, accounts: set[str]) -> sqlite3.Row:
    """Raises: GraphError: 100/33, it does not exist or is somebody else's; Meta does not say which."""
    row = world.ledger.row("SELECT * FROM numbers WHERE id = ?", number_id)
    if row is None or row["waba_id"] not in accounts:
        raise no_such_object(number_id)
    return row


def get_account(world: World, waba_id: str, *, accounts: set[str]) -> sqlite3.Row:
    row = world.ledger.row("SELECT * FROM wabas WHERE id = ?", waba_id)
    if row is None or waba_id not in accounts:
        raise no_such_object(waba_id)
    return row


def no_such_object(object_id: str) -> GraphError:
    details = (
        f"Object with ID '{object_id}' does not exist, cannot be loaded due to missing permissions, "
        "or does not support this operation."
    )
    return GraphError(100, details, subcode=33)
