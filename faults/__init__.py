"""Fault injection: breaks a running site on purpose, and checks afterwards that its promises hold.

``python -m faults`` (``make faults``) runs every fault on SQLite and on PostgreSQL, then again on a site with
a bug that was put there on purpose, and writes a report as JSON and as a page. A check that does not detect
its bug proves nothing, so an undetected bug fails the run as well.
"""
