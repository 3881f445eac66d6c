"""What the environment says, and the demo's own secrets where it says nothing."""

from __future__ import annotations

import os
import secrets
import tempfile
from pathlib import Path

import environ
from cryptography.fernet import Fernet

PROJECT = Path(__file__).resolve().parents[2]
env = environ.Env()
if (PROJECT / ".env").exists():
    env.read_env(str(PROJECT / ".env"))

# The embedded database, a demo's secrets and logs. What is not absolute lies in the project.
DATA = PROJECT / env.str("CLINICBOT_DATA", default=".data")
DEMO_SECRETS = DATA / "demo.env"
# Where a demo that is up says on which port, so that a command by hand knows it.
DEMO_RUN = DATA / "demo-run.env"
DEFAULT_PORT = 8000


def read_demo() -> None:
    """Real variables win over `.env`, and `.env` over the demo's secrets."""
    if is_demo():
        make_secrets(DEMO_SECRETS)
        env.read_env(str(DEMO_SECRETS))
        if DEMO_RUN.exists():
            env.read_env(str(DEMO_RUN))
        for name, value in _simulator().items():
            os.environ.setdefault(name, value)


def is_demo() -> bool:
    """Whether this is a demonstration: it was said, or no database was named."""
    return bool(env.bool("DEMO", default=not env.str("DATABASE_URL", default="")))


def is_local() -> bool:
    """Whether the site is for this machine only, so that plain HTTP will do."""
    return is_demo() or env.bool("DEBUG", default=False)


def port() -> int:
    return int(env.int("PORT", default=DEFAULT_PORT))


def local_url() -> str:
    return f"http://localhost:{port()}"


def simulator_url() -> str:
    return f"http://127.0.0.1:{port() + 1}"


def mailbox_url() -> str:
    """Where the simulator of a demo takes e-mail."""
    return f"smtp://127.0.0.1:{port() + 2}"


def _simulator() -> dict[str, str]:
    """What the simulator of a demo is told; it knows nothing of these settings."""
    product = f"http://127.0.0.1:{port()}"
    return {
        "SIMULATOR_PORT": str(port() + 1),
        "SIMULATOR_MAIL_PORT": str(port() + 2),
        "SIMULATOR_LEDGER": str(DATA / "simulator.sqlite3"),
        "SIMULATOR_PRODUCT_URL": product,
        "SIMULATOR_WEBHOOK_URL": f"{product}/webhooks/whatsapp/",
    }


def make_secrets(path: Path) -> None:
    """Write a demo's secrets once. Of several processes that start together one wins, and all read the same."""
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    names = ("SECRET_KEY", "TICK_SECRET", "MONITOR_TOKEN", "WHATSAPP_APP_SECRET", "WHATSAPP_VERIFY_TOKEN")
    lines = [f"{name}={secrets.token_urlsafe(40)}" for name in names]
    lines.append(f"FIELD_ENCRYPTION_KEY={Fernet.generate_key().decode()}")
    with tempfile.NamedTemporaryFile("w", dir=path.parent, encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
        file.flush()
        try:
            os.link(file.name, path)
        except FileExistsError:
            return


read_demo()
