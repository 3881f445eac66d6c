"""The site as gunicorn serves it in this world: a worker dies at the named step that there is an order for."""

from __future__ import annotations

import os
import random
from pathlib import Path

from clinicbot import wsgi  # First: it sets Django up.
from tests.chaos.steps import WEB_STEPS, die_at, on_order, order_name

FOLDER = Path(os.environ["CHAOS_FOLDER"])

application = wsgi.application
for step in WEB_STEPS:
    die_at(step, is_time=on_order(FOLDER / order_name(step)), dice=random.Random(0), diary=FOLDER / "diary")
