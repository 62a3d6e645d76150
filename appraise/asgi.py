"""The application that the web server runs."""

from __future__ import annotations

from appraise.wsgi import application as wsgi_application

# isort: split
# After the import above, which sets up Django: this module imports models.
from appraise.exchange import run_in_threads

application = run_in_threads(wsgi_application)
