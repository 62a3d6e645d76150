"""Where a request comes from: the address of the connection, or what a trusted proxy says it is.

Anybody can send ``X-Forwarded-For``. It is believed only where the connection comes from an address in
``TRUSTED_PROXIES`` (addresses or networks, separated by commas), and only up to the first hop that is not
trusted itself.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from appraise.environment import networks

Network = IPv4Network | IPv6Network


def trusted_proxies(environment: Mapping[str, str] = os.environ) -> list[Network]:
    """
    >>> trusted_proxies({"TRUSTED_PROXIES": "127.0.0.1, 10.0.0.0/8"})
    [IPv4Network('127.0.0.1/32'), IPv4Network('10.0.0.0/8')]
    """
    return networks("TRUSTED_PROXIES", (), environment)


TRUSTED = trusted_proxies()


def client_address(meta: Mapping[str, str], trusted: Sequence[Network] = TRUSTED) -> str:
    """The address to count log-ins by; an IPv6 customer owns a whole /64, so a /64 counts as one.

    >>> client_address({"REMOTE_ADDR": "192.0.2.7", "HTTP_X_FORWARDED_FOR": "198.51.100.1"})
    '192.0.2.7'
    >>> proxy = trusted_proxies({"TRUSTED_PROXIES": "192.0.2.7"})
    >>> client_address({"REMOTE_ADDR": "192.0.2.7", "HTTP_X_FORWARDED_FOR": "x, 198.51.100.1"}, proxy)
    '198.51.100.1'
    """
    # Nearest first. A connection over a local socket has no address: that is the proxy itself.
    hops = [meta.get("REMOTE_ADDR", "").strip()]
    hops += [hop.strip() for hop in reversed(meta.get("HTTP_X_FORWARDED_FOR", "").split(","))]
    for hop in hops:
        if not (trusted and _is_trusted(hop, trusted)):
            return _canonical(hop)
    return _canonical(hops[0])


def _is_trusted(hop: str, trusted: Sequence[Network]) -> bool:
    try:
        return not hop or any(ip_address(hop) in network for network in trusted)
    except ValueError:
        return False


def _canonical(hop: str) -> str:
    try:
        address = ip_address(hop)
    except ValueError:
        return "unknown"
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped:
            return str(address.ipv4_mapped)
        return str(ip_network((address, 64), strict=False))
    return str(address)
