#!/usr/bin/env python
from __future__ import annotations

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db.utils import InterfaceError, OperationalError

from clinicbot.database_down import is_database_down, why_down


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "clinicbot.settings.base")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"clinicbot: {error}")
    except (OperationalError, InterfaceError) as error:
        if not is_database_down(error):
            raise
        sys.exit(f"clinicbot: {why_down(error)}")


if __name__ == "__main__":
    main()
