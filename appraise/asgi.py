"""The application that the web server runs."""

from __future__ import annotations

import multiprocessing
import signal

# A web process inherits the handlers of its server, which only take note of a signal: one that comes while
# the application is loaded would be lost, and the server would wait for its end and kill it.
if multiprocessing.parent_process() is not None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)

# isort: split
from appraise.wsgi import application as wsgi_application

# isort: split
# After the import above, which sets up Django: this module imports models.
from appraise.exchange import run_in_threads

application = run_in_threads(wsgi_application)
