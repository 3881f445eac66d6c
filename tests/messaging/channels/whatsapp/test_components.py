from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from messaging.channels.whatsapp.components import fill_template, shape_of

ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "text", "format", "buttons", "url"]), inner, max_size=4)
    ),
    max_leaves=12,
)


def test_a_template_is_read_into_its_parts() -> None:
    shape = shape_of(
        [
            {"type": "HEADER", "format": "TEXT", "text": "From {{clinic}}"},
            {"type": "body", "text": "Hello {{ patient }}, on {{when}}. {{when}} it is."},
            {"type": "FOOTER", "text": "Clinic"},
            {
                "type": "BUTTONS",
                "buttons": [
                    {"type": "QUICK_REPLY", "text": "Yes"},
                    {"type": "PHONE_NUMBER", "text": "Call", "phone_number": "+34"},
                    {"type": "URL", "text": "Pay", "url": "https://x/{{1}}"},
                ],
            },
        ]
    )

    assert shape.header_variables == ("clinic",)
    assert shape.body_variables == ("patient", "when")
    assert shape.footer == "Clinic"
    assert [(button.index, button.label) for button in shape.quick_replies] == [(0, "Yes")]
    assert [button.needs_suffix for button in shape.buttons] == [False, False, True]


def test_a_variable_nobody_filled_stays_visible() -> None:
    assert fill_template("Hello {{ patient }}, {{1}}", {"1": "there"}) == "Hello {{ patient }}, there"


@given(ANY_JSON)
def test_whatever_stands_in_the_database_can_be_read(components: Any) -> None:
    shape = shape_of(components)

    assert isinstance(shape.body, str)
    assert all(isinstance(button.label, str) for button in shape.buttons)
