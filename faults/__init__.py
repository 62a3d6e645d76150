"""What happens when things break: faults are done to a running site, and its promises are checked afterwards.

``python -m faults`` (``make faults``) runs every fault on SQLite and on PostgreSQL, then again on a site with
a bug that was put there on purpose, and writes a report as JSON and as a page. A check that does not notice
its bug proves nothing, so an unnoticed bug fails the run as well.
"""
