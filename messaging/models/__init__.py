"""Django looks for a house's models here."""

from messaging.models.accounts import AccountState, KillSwitch, SendingAccount
from messaging.models.contacts import Consent, ConsentState, Contact
from messaging.models.conversations import Conversation, SavedText, WrittenAnswer
from messaging.models.inbound import InboundMessage, InboundState, WebhookItem
from messaging.models.messages import Attempt, AttemptState, Message, MessageState, MessageSubject
from messaging.models.tasks import StaffTask, TaskState
from messaging.models.templates import MessageTemplate, TextOverride
from messaging.models.watch import ParkedReceipt, WebhookCall, WebhookProbe

__all__ = [
    "AccountState",
    "Attempt",
    "AttemptState",
    "Consent",
    "ConsentState",
    "Contact",
    "Conversation",
    "InboundMessage",
    "InboundState",
    "KillSwitch",
    "Message",
    "MessageState",
    "MessageSubject",
    "MessageTemplate",
    "ParkedReceipt",
    "SavedText",
    "SendingAccount",
    "StaffTask",
    "TaskState",
    "TextOverride",
    "WebhookCall",
    "WebhookItem",
    "WebhookProbe",
    "WrittenAnswer",
]
