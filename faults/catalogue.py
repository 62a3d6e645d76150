"""All faults, in the order of the plan."""

from __future__ import annotations

from faults import (
    backup,
    bombs,
    clock,
    connections,
    crowd,
    disk_full,
    foreign_lock,
    kill_server,
    kill_worker,
    old_database,
    polite_stop,
    postgres_restart,
    power_loss,
    suites,
)
from faults.base import Fault

FAULTS: dict[str, Fault] = {
    fault.key: fault
    for fault in (
        kill_server.FAULT,
        power_loss.FAULT,
        kill_worker.FAULT,
        disk_full.FAULT,
        postgres_restart.FAULT,
        foreign_lock.FAULT,
        crowd.FAULT,
        clock.FAULT,
        suites.F9,
        old_database.FAULT,
        backup.FAULT,
        suites.F12,
        bombs.FAULT,
        polite_stop.FAULT,
        connections.FAULT,
        suites.F16,
        suites.F17,
        suites.F18,
        suites.F19,
        suites.F20,
    )
}
