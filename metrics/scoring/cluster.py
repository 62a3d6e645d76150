"""Run heavy scoring, grid searches and parsing on an existing Dask cluster: ``CLUSTER=tcp://host:8786``.

The same code makes the same parts of the work, and joblib sends them to the cluster's workers, which run the
same version of Appraise. A scheduler executes whatever it receives, so it belongs on a private network. Needs
the extra ``cluster`` (dask, distributed).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from appraise.lib.digests import find_version
from appraise.lib.problems import InputError

WAIT_SECONDS = 10


@contextmanager
def use_cluster(environment: Mapping[str, str] = os.environ) -> Iterator[None]:
    """Run joblib's work inside the block on the cluster; does nothing without ``CLUSTER``.

    Raises ``InputError`` if the cluster does not answer, has no workers or runs another version.
    """
    address = environment.get("CLUSTER", "").strip()
    if not address:
        yield
        return
    if urlsplit(address).scheme not in {"tcp", "tls"}:
        raise _unusable(address, "this is no address", "give tcp://host:port of a Dask scheduler")
    try:
        from distributed import Client
    except ImportError as error:
        raise _unusable(address, "Dask is missing", "pip install 'appraise-mt[cluster]'") from error
    from joblib import parallel_config

    connect: Callable[..., Any] = Client  # the library leaves it untyped
    try:
        client = connect(address, timeout=WAIT_SECONDS, set_as_default=False)
    except OSError as error:
        raise _unusable(address, "no Dask scheduler answers there", "start one, or unset CLUSTER") from error
    with client:
        _check_workers(client.run(find_version), address)
        with parallel_config(backend="dask", client=client, wait_for_workers_timeout=WAIT_SECONDS):
            yield


def _check_workers(versions: Mapping[str, str], address: str) -> None:
    if not versions:
        raise _unusable(address, "the scheduler has no workers", "start some")
    if set(versions.values()) != {find_version()}:
        running = ", ".join(sorted(set(versions.values())))
        raise _unusable(
            address, f"workers run Appraise {running}, this is {find_version()}", "install the same"
        )


def _unusable(address: str, what: str, remedy: str) -> InputError:
    return InputError.of("cluster_unusable", f"CLUSTER={address}: {what}", remedy)
