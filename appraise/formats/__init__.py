"""How dates are written, where a language of Django differs from ours."""
