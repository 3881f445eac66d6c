"""The error codes the simulator speaks, their HTTP statuses and titles. Source: Meta's page of error codes."""

from __future__ import annotations

from dataclasses import dataclass

HREF = "https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/"


@dataclass(frozen=True, slots=True)
class Code:
    http: int
    title: str


CODES = {
    0: Code(401, "AuthException"),
    1: Code(400, "API Unknown"),
    2: Code(503, "API Service"),
    4: Code(400, "API Too Many Calls"),
    10: Code(403, "API Permission Denied"),
    33: Code(400, "Parameter value is not valid"),
    100: Code(400, "Invalid parameter"),
    104: Code(400, "Access token required"),
    190: Code(401, "Access token has expired"),
    368: Code(403, "Temporarily blocked for policies violations"),
    2500: Code(400, "Unknown path components"),
    2635: Code(400, "You are calling a deprecated version of the Graph API"),
    80007: Code(400, "Rate limit issues"),
    130403: Code(400, "The business has blocked this user"),
    130429: Code(400, "Rate limit hit"),
    130472: Code(400, "User's number is part of an experiment"),
    130497: Code(403, "Business account is restricted from messaging users in this country"),
    131000: Code(500, "Something went wrong"),
    131005: Code(403, "Access denied"),
    131008: Code(400, "Required parameter is missing"),
    131009: Code(400, "Parameter value is not valid"),
    131016: Code(500, "Service unavailable"),
    131021: Code(400, "Recipient cannot be sender"),
    131026: Code(400, "Message undeliverable"),
    131030: Code(400, "Recipient phone number not in allowed list"),
    131031: Code(403, "Business account locked"),
    131037: Code(400, "Display name approval is needed"),
    131042: Code(400, "Business eligibility payment issue"),
    131045: Code(500, "Incorrect certificate"),
    131047: Code(400, "Re-engagement message"),
    131048: Code(400, "Spam rate limit hit"),
    131049: Code(400, "This message was not delivered to maintain healthy ecosystem engagement"),
    131050: Code(400, "User has stopped marketing messages from this business"),
    131051: Code(400, "Unsupported message type"),
    131052: Code(400, "Media download error"),
    131053: Code(400, "Media upload error"),
    131055: Code(400, "Method not allowed"),
    131056: Code(400, "(Business Account, Consumer Account) pair rate limit hit"),
    131057: Code(500, "Account in maintenance mode"),
    131060: Code(400, "This message is unavailable"),
    131062: Code(400, "Business-scoped user id is not allowed for this message"),
    131063: Code(400, "Marketing templates are switched off on Cloud API"),
    131064: Code(400, "Messaging limit lowered after category violations"),
    132000: Code(400, "Number of parameters does not match the expected number of params"),
    132001: Code(404, "Template name does not exist in the translation"),
    132005: Code(400, "Translated text too long"),
    132007: Code(400, "Template format character policy violated"),
    132008: Code(400, "Parameter value is not valid"),
    132012: Code(400, "Parameter format does not match format in the created template"),
    132015: Code(400, "Template is paused"),
    132016: Code(400, "Template is disabled"),
    132018: Code(400, "Template parameters are not valid"),
    133004: Code(503, "Server temporarily unavailable"),
    133010: Code(400, "Phone number not registered"),
    134011: Code(400, "Payments terms not accepted"),
    135000: Code(400, "Generic user error"),
    137000: Code(400, "Identity hash mismatch"),
    139200: Code(400, "Direct Send blocked"),
}


def code_of(number: int) -> Code:
    """A code we have no line for is a plain bad request."""
    return CODES.get(number, Code(400, "Request failed"))
