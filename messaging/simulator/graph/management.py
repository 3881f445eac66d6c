"""The Graph side beyond sending: numbers, templates, subscriptions, media."""

from __future__ import annotations

import hashlib
import sqlite3
from typing import Any

from flask import Blueprint, Response, jsonify, request

from messaging.simulator.faults import draw_faults
from messaging.simulator.graph import access, templates
from messaging.simulator.graph.errors import GraphError
from messaging.simulator.graph.limits import charge
from messaging.simulator.graph.routes import asked, the_world
from messaging.simulator.graph.trouble import refusal, spoil_after, spoil_before
from messaging.simulator.ids import new_object_id
from messaging.simulator.world import World

management = Blueprint("management", __name__)
CALLS_PER_HOUR = 5000
DEFAULT_NUMBER_FIELDS = "verified_name,display_phone_number,quality_rating,id"
MEDIA_SECONDS = 7 * 86400.0


@management.errorhandler(GraphError)
def refuse(error: GraphError) -> Response:
    return refusal(error)


@management.before_request
def before() -> Response | None:
    """Version and faults first, as for sends."""
    access.check_version(str((request.view_args or {}).get("version", "")))
    world = the_world()
    faults = draw_faults(world.ledger, on="manage")
    request.environ["simulator.faults"] = faults
    return spoil_before(world, faults)


@management.after_request
def after(response: Response) -> Response:
    world = the_world()
    words = request.path.strip("/").split("/")[2:] or ["object"]
    world.wire.note(request.method, "/".join(words), answer=str(response.status_code), at=world.clock.now())
    return spoil_after(world, request.environ.get("simulator.faults", []), answer=response)


def my_accounts() -> set[str]:
    return access.accounts_of(the_world(), request.headers.get("Authorization"))


def my_account(waba_id: str) -> sqlite3.Row:
    """Raises: GraphError: 80007 after too many calls in an hour."""
    world = the_world()
    account = access.get_account(world, waba_id, accounts=my_accounts())
    key, now = f"management {waba_id}", world.clock.now()
    if not charge(world.ledger, key=key, seconds_each=3600 / CALLS_PER_HOUR, burst=CALLS_PER_HOUR, now=now):
        raise GraphError(80007, "Too many management calls for this account.")
    return account


@management.get("/<version>/<waba_id>/message_templates")
def list_templates(version: str, waba_id: str) -> Response:
    my_account(waba_id)
    return jsonify(templates.page_of_templates(the_world(), waba_id, request.args.to_dict(), address=request.base_url))


@management.post("/<version>/<waba_id>/message_templates")
def create_template(version: str, waba_id: str) -> Response:
    my_account(waba_id)
    return jsonify(templates.create(the_world(), waba_id, asked()))


@management.delete("/<version>/<waba_id>/message_templates")
def delete_template(version: str, waba_id: str) -> Response:
    my_account(waba_id)
    templates.delete(the_world(), waba_id, name=request.args.get("name", ""), hsm_id=request.args.get("hsm_id"))
    return jsonify({"success": True})


@management.post("/<version>/<template_id>/unpause")
def unpause_template(version: str, template_id: str) -> Response:
    templates.unpause(the_world(), my_template(template_id))
    return jsonify({"success": True})


@management.get("/<version>/<waba_id>/subscribed_apps")
def subscribed_apps(version: str, waba_id: str) -> Response:
    account = my_account(waba_id)
    app = {"whatsapp_business_api_data": {"id": "670843887433847", "name": "The app"}}
    return jsonify({"data": [app] if account["subscribed"] else []})


@management.post("/<version>/<waba_id>/subscribed_apps")
def subscribe(version: str, waba_id: str) -> Response:
    return subscribed(waba_id, on=True)


@management.delete("/<version>/<waba_id>/subscribed_apps")
def unsubscribe(version: str, waba_id: str) -> Response:
    return subscribed(waba_id, on=False)


def subscribed(waba_id: str, *, on: bool) -> Response:
    account = my_account(waba_id)
    the_world().ledger.amend("wabas", ("id", account["id"]), subscribed=int(on))
    return jsonify({"success": True})


@management.get("/<version>/<waba_id>/phone_numbers")
def phone_numbers(version: str, waba_id: str) -> Response:
    my_account(waba_id)
    rows = the_world().ledger.rows("SELECT * FROM numbers WHERE waba_id = ? ORDER BY rowid", waba_id)
    return jsonify({"data": [described_number(row) for row in rows]})


@management.get("/<version>/<object_id>")
def show(version: str, object_id: str) -> Response:
    """A number, a template or a medium: Graph ids do not say which."""
    world, accounts = the_world(), my_accounts()
    number = world.ledger.row("SELECT * FROM numbers WHERE id = ?", object_id)
    if number is not None and number["waba_id"] in accounts:
        return jsonify(described_number(number))
    medium = world.ledger.row("SELECT * FROM media WHERE id = ?", object_id)
    if medium is not None:
        return jsonify(described_medium(world, medium))
    return jsonify(templates.described(my_template(object_id), request.args.get("fields", "")))


def described_number(row: sqlite3.Row) -> dict[str, Any]:
    is_well = row["status"] == "CONNECTED"
    can_send = "AVAILABLE" if is_well else "BLOCKED"
    known = {
        "id": row["id"],
        "display_phone_number": row["display"],
        "verified_name": row["verified_name"],
        "quality_rating": row["quality"],
        "status": row["status"],
        "name_status": "APPROVED",
        "code_verification_status": "VERIFIED",
        "throughput": {"level": row["throughput"]},
        "platform_type": "CLOUD_API",
        "whatsapp_business_manager_messaging_limit": row["messaging_limit"],
        "health_status": {
            "can_send_message": can_send,
            "entities": [{"entity_type": "PHONE_NUMBER", "id": row["id"], "can_send_message": can_send}],
        },
    }
    asked_for = request.args.get("fields") or DEFAULT_NUMBER_FIELDS
    return {key: value for key, value in known.items() if key in {*asked_for.split(","), "id"}}


def my_template(template_id: str) -> sqlite3.Row:
    row = the_world().ledger.row("SELECT * FROM templates WHERE id = ? AND deleted_at IS NULL", template_id)
    if row is None or row["waba_id"] not in my_accounts():
        raise access.no_such_object(template_id)
    return row


@management.post("/<version>/<template_id>")
def edit_template(version: str, template_id: str) -> Response:
    templates.edit(the_world(), my_template(template_id), asked())
    return jsonify({"success": True})


@management.post("/<version>/<number_id>/media")
def upload(version: str, number_id: str) -> Response:
    world = the_world()
    number = access.get_number(world, number_id, accounts=my_accounts())
    file = request.files.get("file")
    if file is None or request.form.get("messaging_product") != "whatsapp":
        raise GraphError(100, "An upload needs messaging_product and file.")
    content = file.read()
    media_id = new_object_id()
    world.ledger.add(
        "media", id=media_id, number_id=number["id"], mime_type=file.mimetype, content=content,
        sha256=hashlib.sha256(content).hexdigest(), created_at=world.clock.now(),
    )  # fmt: skip
    return jsonify({"id": media_id})


def described_medium(world: World, row: sqlite3.Row) -> dict[str, Any]:
    """Kept for seven days. Its address needs the token too."""
    if world.clock.now() - row["created_at"] > MEDIA_SECONDS:
        raise access.no_such_object(row["id"])
    return {
        "messaging_product": "whatsapp",
        "id": row["id"],
        "url": f"{request.url_root}{request.path.split('/')[1]}/{row['id']}/content",
        "mime_type": row["mime_type"],
        "sha256": row["sha256"],
        "file_size": len(row["content"]),
    }


@management.get("/<version>/<media_id>/content")
def download(version: str, media_id: str) -> Response:
    my_accounts()
    row = the_world().ledger.row("SELECT * FROM media WHERE id = ?", media_id)
    if row is None:
        raise access.no_such_object(media_id)
    return Response(row["content"], mimetype=row["mime_type"])
