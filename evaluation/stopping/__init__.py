"""Stopping rules: sequential tests that stay valid however often the data are checked."""
