"""Formulas of the documentation: ``math`` blocks, in the small part of LaTeX that we use, become MathML.

Browsers draw MathML themselves and GitHub reads the same blocks, so nothing is fetched from elsewhere.
What is not known here is an error: a formula is drawn as it was meant, or the documentation does not build.

>>> mathml(r"\\kappa = \\frac{P(A) - P(E)}{1 - P(E)}")[:70]
'<math display="block"><mi>κ</mi><mo>=</mo><mfrac><mrow><mi>P</mi><mo s'
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from typing import Any

TOKENS = re.compile(r"\\[A-Za-z]+|\\.|[A-Za-z]|[0-9.]+|\S")
LETTERS = {
    "alpha": "α", "beta": "β", "gamma": "γ", "theta": "θ", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν",
    "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "xi": "ξ", "Phi": "Φ", "chi": "χ", "Delta": "Δ",
}  # fmt: skip
SIGNS = {
    "cdot": "·", "le": "≤", "ge": "≥", "ne": "≠", "pm": "±", "to": "→", "dots": "…", "in": "∈",
    "lVert": "‖", "rVert": "‖", "lvert": "|", "rvert": "|", "prime": "′", "cap": "∩", "{": "{", "}": "}",
}  # fmt: skip
SPACES = {",": "0.17em", "quad": "1em", "qquad": "2em"}
LARGE = {"sum": "∑", "prod": "∏", "max": "max", "min": "min"}  # limits stand below and above
NAMES = ("log", "exp")
FENCES = "()[]‖|{}"


def on_config(config: Any) -> Any:  # Any: of MkDocs
    """A hook of MkDocs: blocks marked ``math`` are given to us."""
    fence = {"name": "math", "class": "math", "format": fenced}
    config["mdx_configs"].setdefault("pymdownx.superfences", {})["custom_fences"] = [fence]
    return config


def fenced(source: str, *_: Any, **__: Any) -> str:
    """A block is one formula. It can be reached by key, because it may have to be scrolled."""
    return f'<div class="formula" tabindex="0">{mathml(source)}</div>'


def mathml(tex: str) -> str:
    """A formula as MathML."""
    tokens = TOKENS.findall(re.sub(r"\\text\{([^}]*)\}", _words, tex))
    rest = iter(tokens)
    return f'<math display="block">{_row(rest, None)}</math>'


def _words(found: re.Match[str]) -> str:
    """Words keep their spaces as characters that no other part of a formula has."""
    return "\\text{" + "".join(chr(0xE000 + ord(letter)) for letter in found[1]) + "}"


def _row(tokens: Iterator[str], end: str | None) -> str:
    parts: list[str] = []
    for token in tokens:
        if token == end:
            return "".join(parts)
        if token in ("_", "^"):
            parts.append(_script(parts.pop(), token, _part(tokens)))
        elif token == "'":
            parts.append(f'<mrow>{parts.pop()}<mo lspace="0" rspace="0">′</mo></mrow>')
        else:
            parts.append(_atom(token, tokens))
    if end is not None:
        raise ValueError(f"{end!r} is missing in a formula")
    return "".join(parts)


def _part(tokens: Iterator[str]) -> str:
    """What a command or an index is about: one token, or a group in braces."""
    return _atom(next(tokens), tokens)


def _script(base: str, kind: str, index: str) -> str:
    """An index below or above; a second one joins the first."""
    below, above = ("munder", "mover") if 'class="large"' in base else ("msub", "msup")
    both = {"munder": "munderover", "msub": "msubsup"}[below]
    if kind == "^" and base.startswith(f"<{below}>"):
        return f"<{both}>{base[len(below) + 2 : -len(below) - 3]}{index}</{both}>"
    name = below if kind == "_" else above
    return f"<{name}>{base}{index}</{name}>"


def _atom(token: str, tokens: Iterator[str]) -> str:
    name = token.removeprefix("\\")
    if token == "{":
        return f"<mrow>{_row(tokens, '}')}</mrow>"
    if token == "\\left":  # these fences grow with what they hold
        opened, held = _sign(next(tokens), grows=True), _row(tokens, "\\right")
        return f"<mrow>{opened}{held}{_sign(next(tokens), grows=True)}</mrow>"
    if token == "\\frac":
        return f"<mfrac>{_part(tokens)}{_part(tokens)}</mfrac>"
    if token == "\\sqrt":
        return f"<msqrt>{_part(tokens)}</msqrt>"
    if token == "\\bar":
        return f"<mover>{_part(tokens)}<mo>¯</mo></mover>"
    if token == "\\text":
        next(tokens)
        letters = iter(lambda: next(tokens), "}")
        return f"<mtext>{escape(''.join(chr(ord(letter) - 0xE000) for letter in letters))}</mtext>"
    if token.startswith("\\"):
        return _command(name)
    if token[0].isdigit() or token[0] == ".":
        return f"<mn>{token}</mn>"
    return f"<mi>{token}</mi>" if token.isalpha() else _sign("−" if token == "-" else token)


def _command(name: str) -> str:
    if name in LETTERS:
        return f"<mi>{LETTERS[name]}</mi>"
    if name in LARGE:
        return f'<mo class="large" movablelimits="false">{LARGE[name]}</mo>'
    if name in NAMES:
        return f"<mi>{name}</mi>"
    if name in SPACES:
        return f'<mspace width="{SPACES[name]}"/>'
    if name in SIGNS:
        return _sign(SIGNS[name])
    raise ValueError(f"\\{name} is not known in formulas; add it to scripts/docs_formulas.py")


def _sign(sign: str, *, grows: bool = False) -> str:
    size = f' stretchy="{str(grows).lower()}"' if sign in FENCES else ""
    return f"<mo{size}>{escape(sign)}</mo>"
