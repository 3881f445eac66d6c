"""What PostgreSQL gives a loop that does nothing else: no product, no Django; claim 100, finish 100, commit."""

from __future__ import annotations

import time

import psycopg
from django.db import connection

BATCH = 100

_TABLE = """
    DROP TABLE IF EXISTS bare_job;
    CREATE TABLE bare_job (
        id bigserial PRIMARY KEY, args jsonb NOT NULL, run_at timestamptz NOT NULL, state text NOT NULL DEFAULT 'queued'
    );
    CREATE INDEX ON bare_job (run_at, id) WHERE state = 'queued';
    INSERT INTO bare_job (args, run_at)
    SELECT jsonb_build_object('number', number), clock_timestamp() - interval '1 day' + number * interval '1 ms'
    FROM generate_series(1, {count}) AS number;
"""
_CLAIM = """
    WITH mine AS MATERIALIZED (
        SELECT id FROM bare_job WHERE state = 'queued' AND run_at <= clock_timestamp()
        ORDER BY run_at, id LIMIT %s FOR NO KEY UPDATE SKIP LOCKED
    )
    UPDATE bare_job AS job SET state = 'running' FROM mine WHERE job.id = mine.id RETURNING job.id, job.args
"""
_FINISH = "UPDATE bare_job SET state = 'done' WHERE id = ANY(%s) AND state = 'running'"


def jobs_per_second(count: int) -> float:
    """On a connection of its own, to the same server."""
    with connect() as bare:
        bare.execute(_TABLE.format(count=count).encode())
        bare.execute("VACUUM ANALYZE bare_job")
        bare.execute("CHECKPOINT")
        began = time.monotonic()
        done = 0
        while ids := _claim_and_finish(bare):
            done += ids
        seconds = time.monotonic() - began
        bare.execute("DROP TABLE bare_job")
    assert done == count
    return count / seconds


def _claim_and_finish(bare: psycopg.Connection) -> int:
    with bare.transaction():
        ids = [job_id for job_id, _args in bare.execute(_CLAIM, [BATCH]).fetchall()]
        bare.execute(_FINISH, [ids])
    return len(ids)


def connect() -> psycopg.Connection:
    connection.ensure_connection()
    settings = connection.settings_dict
    return psycopg.connect(
        host=settings["HOST"],
        user=settings["USER"],
        password=settings["PASSWORD"],
        dbname=settings["NAME"],
        autocommit=True,
    )
