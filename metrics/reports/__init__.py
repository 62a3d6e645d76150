"""The reports of the metrics app, registered as in ``evaluation``; they only read."""
