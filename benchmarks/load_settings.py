"""The product's settings with the addresses of the load benchmark, and passwords that cost no time."""

from __future__ import annotations

from appraise.settings import *  # noqa: F403 — that is what Django's settings are for

ROOT_URLCONF = "benchmarks.load_urls"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
