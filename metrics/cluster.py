"""``CLUSTER=tcp://host:8786``: runs heavy scoring, grid searches and parsing on an existing Dask cluster.

Nothing else changes: the same code cuts the same pieces, and joblib carries them to the cluster's workers,
which run the same version of Appraise. A scheduler runs whatever it is sent, so it belongs on a network of
its own. Needs the extra ``cluster`` (dask, distributed).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from evaluation.problems import InputError, Problem
from evaluation.release import version

WAIT_SECONDS = 10


@contextmanager
def connected(environment: Mapping[str, str] = os.environ) -> Iterator[None]:
    """Within this context, pieces of work run on the cluster; without ``CLUSTER`` it changes nothing.

    Raises ``InputError`` where the cluster does not answer, has no workers or runs another version.
    """
    address = environment.get("CLUSTER", "").strip()
    if not address:
        yield
        return
    if urlsplit(address).scheme not in {"tcp", "tls"}:
        raise _refused(address, "this is no address", "give tcp://host:port of a Dask scheduler")
    try:
        from distributed import Client
    except ImportError as error:
        raise _refused(address, "Dask is missing", "pip install 'appraise[cluster]'") from error
    from joblib import parallel_config

    connect: Callable[..., Any] = Client  # the library leaves it untyped
    try:
        client = connect(address, timeout=WAIT_SECONDS, set_as_default=False)
    except OSError as error:
        raise _refused(address, "no Dask scheduler answers there", "start one, or unset CLUSTER") from error
    with client:
        _check_workers(client.run(version), address)
        with parallel_config(backend="dask", client=client, wait_for_workers_timeout=WAIT_SECONDS):
            yield


def _check_workers(versions: Mapping[str, str], address: str) -> None:
    if not versions:
        raise _refused(address, "the scheduler has no workers", "start some")
    if set(versions.values()) != {version()}:
        found = ", ".join(sorted(set(versions.values())))
        raise _refused(address, f"workers run Appraise {found}, this is {version()}", "install the same")


def _refused(address: str, what: str, remedy: str) -> InputError:
    return InputError(Problem("cluster_unusable", f"CLUSTER={address}: {what}", remedy))
