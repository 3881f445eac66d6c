"""What the suite's patients are called, reached at and write, and the secrets it works with: none may be seen elsewhere.

Factories and makers take their defaults from here. What a test puts into the tables besides is found there.
"""

from __future__ import annotations

ANA = "Ana Núñez"
ANA_TYPED = "612 345 678"
PHONE_OF_CONTACT = "+34655{:06d}"
ACCOUNT_TOKEN = "EAAcanary0Token0Of0An0Account"

NAMES = (ANA, "Ana Nunez", "Leo Núñez", "Ada Byron", "Ana Pérez", "Ana Soto")
NUMBERS = ("612345678", "600111222", "600999888", "600333444", "600112047")
TOKENS = (ACCOUNT_TOKEN, "EAA-simulator-token", "simulator-verify-token", "tick-new", "tick-old", "app-secret")
TEXTS = ("mi radiografía", "Hola ¿está", "secreto")
