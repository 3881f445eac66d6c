"""Settings that hold one another up."""

from __future__ import annotations

from messaging import conf


def test_the_longest_call_ends_within_what_the_lease_leaves_it() -> None:
    """A call that outlives its lease may be the last word, and the old one."""
    assert conf.graph_call_seconds() < conf.send_call_seconds() < conf.send_lease_seconds()
