"""Sign-in and throttling, API tokens, personal data and erasure."""
