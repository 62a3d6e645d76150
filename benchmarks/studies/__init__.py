"""The studies behind the tables of the documentation: ``python -m benchmarks.studies.NAME``.

Some use the reports of the site, so Django is set up before any of them is imported.
"""

from __future__ import annotations

import os

import django
from django.apps import apps

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "appraise.settings")
if not apps.ready:  # in the tests it is
    django.setup()
