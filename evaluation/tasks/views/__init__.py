"""The pages of managers."""
