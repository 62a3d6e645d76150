from __future__ import annotations

import gc
import os

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "appraise.settings")
application = get_wsgi_application()

# Load views now rather than during the first request. What is loaded lives as long as the process: without
# the freeze every full garbage collection walks over all of it, which costs some request a tenth of a second.
get_resolver().url_patterns  # noqa: B018 — the property loads them
gc.collect()
gc.freeze()
