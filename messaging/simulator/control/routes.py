"""The control side as one blueprint."""

from __future__ import annotations

from flask import Blueprint

from messaging.simulator.control.books import books
from messaging.simulator.control.common import in_words
from messaging.simulator.control.people import people
from messaging.simulator.control.running import running
from messaging.simulator.errors import SimulatorError

control = Blueprint("control", __name__)
for part in (running, people, books):
    control.register_blueprint(part)
control.register_error_handler(SimulatorError, in_words)
