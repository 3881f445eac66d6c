"""The simulator as one WSGI application."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from flask import Flask, Response, jsonify
from werkzeug.exceptions import HTTPException

from messaging.simulator.control.routes import control
from messaging.simulator.graph.errors import GraphError
from messaging.simulator.graph.management import management
from messaging.simulator.graph.routes import graph
from messaging.simulator.graph.trouble import CUT
from messaging.simulator.pages.mail import mail
from messaging.simulator.pages.routes import pages
from messaging.simulator.world import World

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

MOST_BODY_BYTES = 20 * 1024 * 1024


class LineCutError(ConnectionError):
    """The line is to be cut without an answer."""


class CuttingLine:
    """Between the application and the server: drops the line where a fault says so."""

    def __init__(self, inner: WSGIApplication) -> None:
        self._inner = inner

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        held: list[Any] = []

        def hold(*arguments: Any) -> Any:
            held[:] = arguments

        body = self._inner(environ, hold)
        if environ.get(CUT):
            raise LineCutError(environ[CUT])
        start_response(*held)
        return body


def create_app(world: World) -> Flask:
    app = Flask("messaging.simulator")
    # The templates are Jinja's, and named so; Flask escapes only what ends in .html.
    app.jinja_options = {"autoescape": True}
    app.config["WORLD"] = world
    app.config["MAX_CONTENT_LENGTH"] = MOST_BODY_BYTES
    app.register_blueprint(pages)
    app.register_blueprint(mail)
    app.register_blueprint(control)
    app.register_blueprint(graph)
    app.register_blueprint(management)
    app.register_error_handler(HTTPException, in_meta_form)
    app.wsgi_app = CuttingLine(app.wsgi_app)  # type: ignore[method-assign]
    return app


def in_meta_form(error: HTTPException) -> Response:
    """What is no path of ours is answered as Meta answers an unknown path."""
    status = error.code or 500
    code = 2500 if status == 404 else 1 if status >= 500 else 100
    response = jsonify(GraphError(code, error.description or "").body())
    response.status_code = 400 if status == 404 else status
    return response
