"""Rows for tests. What the product makes through use cases, tests make through use cases too."""

from __future__ import annotations

import factory
from django.contrib.auth.models import User
from factory.django import DjangoModelFactory

from clinicbot.models import Clinic, Membership, Role


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
