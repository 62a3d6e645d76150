"""What keeps a running site alive: copies that prove themselves, counters, logs without names."""
