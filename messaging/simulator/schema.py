"""The tables of the ledger. Times are seconds since 1970 on the simulator's own clock."""

from __future__ import annotations

SCHEMA = """
CREATE TABLE IF NOT EXISTS settings (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS wabas (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, portfolio TEXT NOT NULL, subscribed INTEGER NOT NULL DEFAULT 1,
    state TEXT NOT NULL DEFAULT 'ok', billing_ok INTEGER NOT NULL DEFAULT 1
);
CREATE TABLE IF NOT EXISTS tokens (token TEXT NOT NULL, waba_id TEXT NOT NULL, PRIMARY KEY (token, waba_id));
CREATE TABLE IF NOT EXISTS numbers (
    id TEXT PRIMARY KEY, waba_id TEXT NOT NULL, digits TEXT NOT NULL, display TEXT NOT NULL, verified_name TEXT NOT NULL,
    quality TEXT NOT NULL DEFAULT 'GREEN', status TEXT NOT NULL DEFAULT 'CONNECTED',
    messaging_limit TEXT NOT NULL DEFAULT 'TIER_250', throughput TEXT NOT NULL DEFAULT 'STANDARD',
    allow_list TEXT NOT NULL DEFAULT 'null'
);
CREATE TABLE IF NOT EXISTS templates (
    id INTEGER PRIMARY KEY, waba_id TEXT NOT NULL, name TEXT NOT NULL, language TEXT NOT NULL, category TEXT NOT NULL,
    correct_category TEXT, status TEXT NOT NULL, format TEXT NOT NULL, components TEXT NOT NULL, ttl_seconds INTEGER,
    quality TEXT NOT NULL DEFAULT 'UNKNOWN', reason TEXT NOT NULL DEFAULT 'NONE', edits TEXT NOT NULL DEFAULT '[]',
    created_at REAL NOT NULL, deleted_at REAL
);
CREATE INDEX IF NOT EXISTS templates_by_name ON templates (waba_id, name, language);
CREATE TABLE IF NOT EXISTS phones (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, language TEXT NOT NULL, digits TEXT NOT NULL, wa_id TEXT NOT NULL UNIQUE,
    user_id TEXT NOT NULL UNIQUE, is_on INTEGER NOT NULL DEFAULT 1, off_since REAL, pinned INTEGER NOT NULL DEFAULT 0,
    traits TEXT NOT NULL DEFAULT '{}'
);
CREATE TABLE IF NOT EXISTS conversations (
    number_id TEXT NOT NULL, phone_id INTEGER NOT NULL, last_inbound_at REAL, last_at REAL NOT NULL, typing_until REAL,
    PRIMARY KEY (number_id, phone_id)
);
CREATE TABLE IF NOT EXISTS messages (
    id INTEGER PRIMARY KEY, wamid TEXT NOT NULL UNIQUE, direction TEXT NOT NULL, number_id TEXT NOT NULL,
    phone_id INTEGER, addressed TEXT NOT NULL, type TEXT NOT NULL, shown TEXT NOT NULL, request TEXT NOT NULL,
    callback TEXT, quotes TEXT, state TEXT NOT NULL, at REAL NOT NULL, sent_at REAL, delivered_at REAL, read_at REAL,
    failed_at REAL, error_code INTEGER, expires_at REAL, in_window INTEGER NOT NULL DEFAULT 0, category TEXT NOT NULL DEFAULT '',
    template_id INTEGER, taps TEXT NOT NULL DEFAULT '[]', seen_by_business_at REAL
);
CREATE INDEX IF NOT EXISTS messages_of_a_phone ON messages (phone_id, id);
CREATE INDEX IF NOT EXISTS messages_by_callback ON messages (callback);
CREATE INDEX IF NOT EXISTS messages_for_the_tier ON messages (number_id, in_window, at);
CREATE TABLE IF NOT EXISTS steps (
    id INTEGER PRIMARY KEY, due_at REAL NOT NULL, step TEXT NOT NULL, wamid TEXT, phone_id INTEGER,
    template_id INTEGER, error_code INTEGER
);
CREATE INDEX IF NOT EXISTS steps_when_due ON steps (due_at, id);
CREATE INDEX IF NOT EXISTS steps_of_a_message ON steps (wamid);
CREATE TABLE IF NOT EXISTS updates (
    id INTEGER PRIMARY KEY, due_at REAL NOT NULL, place INTEGER NOT NULL DEFAULT 0, apart INTEGER NOT NULL DEFAULT 0,
    state TEXT NOT NULL, waba_id TEXT NOT NULL, number_id TEXT NOT NULL, field TEXT NOT NULL, kind TEXT NOT NULL,
    item TEXT NOT NULL, contact TEXT NOT NULL, lane TEXT NOT NULL, wamid TEXT, summary TEXT NOT NULL, post_id INTEGER
);
CREATE INDEX IF NOT EXISTS updates_when_due ON updates (state, due_at, place, id);
CREATE INDEX IF NOT EXISTS updates_of_a_message ON updates (wamid);
CREATE TABLE IF NOT EXISTS posts (
    id INTEGER PRIMARY KEY, created_at REAL NOT NULL, due_at REAL NOT NULL, state TEXT NOT NULL, body TEXT NOT NULL,
    lanes TEXT NOT NULL, summary TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, answers TEXT NOT NULL DEFAULT '[]'
);
CREATE INDEX IF NOT EXISTS posts_when_due ON posts (state, due_at, id);
CREATE TABLE IF NOT EXISTS buckets (key TEXT PRIMARY KEY, empty_at REAL NOT NULL);
CREATE TABLE IF NOT EXISTS faults (id INTEGER PRIMARY KEY, rule TEXT NOT NULL, remaining INTEGER, draws INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS media (
    id TEXT PRIMARY KEY, number_id TEXT NOT NULL, mime_type TEXT NOT NULL, sha256 TEXT NOT NULL, content BLOB NOT NULL,
    created_at REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS letters (
    id INTEGER PRIMARY KEY, at REAL NOT NULL, sender TEXT NOT NULL, recipient TEXT NOT NULL, subject TEXT NOT NULL,
    text TEXT NOT NULL
);
"""

TABLES = (
    "settings", "wabas", "tokens", "numbers", "templates", "phones", "conversations", "messages",
    "steps", "updates", "posts", "buckets", "faults", "media", "letters",
)  # fmt: skip
