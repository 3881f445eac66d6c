"""Rows for tests. What the product makes through use cases, tests make through use cases too."""

from __future__ import annotations

from datetime import UTC, datetime

import factory
from django.contrib.auth.models import User
from factory.django import DjangoModelFactory

from clinicbot.models import Clinic, Membership, Role
from messaging.models import Contact, SendingAccount
from tests.canary import values


class ClinicFactory(DjangoModelFactory[Clinic]):
    class Meta:
        model = Clinic

    name = factory.Sequence(lambda number: f"Clinic {number}")
    slug = factory.Sequence(lambda number: f"clinic-{number}")
    zone = "Europe/Madrid"
    country = "ES"
    language = "es"


class UserFactory(DjangoModelFactory[User]):
    class Meta:
        model = User

    username = factory.Sequence(lambda number: f"user-{number}")


class MembershipFactory(DjangoModelFactory[Membership]):
    class Meta:
        model = Membership

    user = factory.SubFactory(UserFactory)
    clinic = factory.SubFactory(ClinicFactory)
    role = Role.FRONT_DESK


# messaging


class SendingAccountFactory(DjangoModelFactory[SendingAccount]):
    class Meta:
        model = SendingAccount

    clinic = factory.SubFactory(ClinicFactory)
    channel = "whatsapp"
    label = "Reception"
    external_id = factory.Sequence(lambda number: f"10000000{number}")
    parent_id = factory.Sequence(lambda number: f"20000000{number}")
    access_token = values.ACCOUNT_TOKEN


class ContactFactory(DjangoModelFactory[Contact]):
    class Meta:
        model = Contact

    clinic = factory.SubFactory(ClinicFactory)
    channel = "whatsapp"
    address = factory.Sequence(values.PHONE_OF_CONTACT.format)
    created_at = datetime(2026, 1, 1, tzinfo=UTC)
