"""Metrics from a small sentence encoder that runs on a CPU, without PyTorch."""
