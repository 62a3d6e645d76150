"""Syntactic similarity in the manner of ASIYA: overlap of parse trees, head-word chains and relations."""
