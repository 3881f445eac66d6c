"""What the simulator assumes where Meta does not say, so that nobody takes it for Meta's word."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Guess:
    """`switch` names the knob that makes it otherwise, if there is one."""

    topic: str
    guess: str
    because: str
    switch: str = ""


GUESSES = (
    Guess(
        topic="Free text after 24 hours",
        guess="It is accepted; then a failed receipt comes with 131047.",
        because="The payloads found in the wild look so. Others report a refusal at once, one of them with another code.",
        switch="switches.outside_window, outside_window_code",
    ),
    Guess(
        topic="Codes for a broken limit of an interactive message",
        guess="131009; 131008 where a part is missing.",
        because="Most reports show 131009, some the general 100.",
        switch="switches.interactive_code",
    ),
    Guess(
        topic="A template variable with a line break, a tab or five blanks",
        guess="132018. An empty one: 131008.",
        because="Seen under 100, 131008 and 132018.",
        switch="switches.parameter_code",
    ),
    Guess(
        topic="Names of variables that do not match",
        guess="132000, as for a wrong number of them.",
        because="Only the missing name (100) is documented.",
    ),
    Guess(
        topic="Longest payload of a quick reply",
        guess="128 characters, then 131009.",
        because="Older pages say 128; newer ones say nothing.",
    ),
    Guess(
        topic="The messaging limit",
        guess="131048 once too many people were reached in a day. Off at first.",
        because="Meta does not say which code it uses.",
        switch="limits.tier, tier_users, tier_code",
    ),
    Guess(
        topic="45 messages to one person at once, then one in six seconds",
        guess="A bucket of 45 that refills one in six seconds.",
        because="The page gives both figures, and says that a burst borrows from later.",
        switch="limits.pair",
    ),
    Guess(
        topic="80 messages a second",
        guess="A bucket of 80; what comes in counts, but is never refused.",
        because="The page says in and out together, and nothing about bursts.",
        switch="limits.throughput, per_second",
    ),
    Guess(
        topic="How long the webhook may take",
        guess="10 seconds; a later answer does not count.",
        because="Nothing official; people report 5 to 20.",
        switch="webhook.timeout_seconds",
    ),
    Guess(
        topic="When a webhook comes again",
        guess="After 1, 2, 4 ... seconds, at most every 10 minutes, for 7 days.",
        because="One page says 7 days, another 36 hours; the gaps are not given.",
        switch="webhook.retry_first_seconds, retry_longest_seconds, give_up_after_seconds",
    ),
    Guess(
        topic="Before the handshake",
        guess="Updates wait for it. Without a subscribed app they are lost.",
        because="Meta would not have the address at all; waiting makes a demo start in any order.",
    ),
    Guess(
        topic="Order of webhooks",
        guess="In order for one person, unless a switch says otherwise; grouped when there are many.",
        because="Meta promises no order. The switches exist to break it.",
        switch="receipts.reversed, twice, late_seconds; webhook.in_parallel_twice, batch_max",
    ),
    Guess(
        topic="How long until sent, delivered, read",
        guess="0.1, 0.4 and 3 seconds.",
        because="So that one can watch it.",
        switch="receipts.sent_after, delivered_after, read_after, instant",
    ),
    Guess(
        topic="Reactions, edits and withdrawals",
        guess="They do not open the 24 hours.",
        because="Meta says any message does, and does not say whether these are messages.",
    ),
    Guess(
        topic="A number without its country",
        guess="Ten digits or fewer get the country of the clinic's number.",
        because="Meta says that it may do so.",
    ),
    Guess(
        topic="A user id where a number belongs",
        guess="Accepted, and never heard of again.",
        because="Reported by people to whom it happened.",
    ),
    Guess(
        topic="A user id nobody has",
        guess="Accepted, then failed with 131026.",
        because="Nothing was found.",
    ),
    Guess(
        topic="A restricted account",
        guess="131031 for whatever starts a conversation; answers still go.",
        because="The event names the restriction, not the code.",
    ),
    Guess(
        topic="Marking an unknown message as read",
        guess="100.",
        because="Meta names no code.",
    ),
    Guess(
        topic="How many words a template needs for each variable",
        guess="Two, and one more.",
        because="Meta refuses too many variables (2388293) and does not say how many that is.",
    ),
    Guess(
        topic="Review of a template",
        guess="Approved after a second.",
        because="Meta takes minutes to a day.",
        switch="switches.review, review_seconds, create_as_marketing",
    ),
    Guess(
        topic="Brazilian numbers",
        guess="From area 31 on, the channel's id lacks the first 9.",
        because="What people see; nowhere written down.",
    ),
)
