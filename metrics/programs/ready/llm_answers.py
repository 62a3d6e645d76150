"""Asks a language model behind an OpenAI-compatible address; the standard library is enough.

Items with ``choices`` are questions about phrases; all others are scored from 0 to 100. The address comes
from the declaration, the model from ``LLM_MODEL``, and a key, if the address wants one, from ``LLM_KEY`` in
the environment of the site. An answer that cannot be read ends the program, and Appraise reports the batch.
"""

import json
import os
import re
import sys
import urllib.request

SCORE = """Rate the translation from 0 (no meaning preserved) to 100 (perfect meaning and grammar).
{context}Translation: {hypothesis}
Answer with the number only."""

CHOOSE = """Two translations of a sentence differ in the parts marked with [[ and ]].
Which marked part is the better translation? {labels}
{context}A: {a}
B: {b}
Answer with one of {choices} only."""

LABELS = {
    "A>>B": "A>>B: A is much better.", "A>B": "A>B: A is better.", "A=B": "A=B: they are equally good.",
    "A<B": "A<B: B is better.", "A<<B": "A<<B: B is much better.", "N/A": "N/A: they cannot be compared.",
}  # fmt: skip


def main() -> None:
    for line in sys.stdin:
        print(json.dumps([answer(item) for item in json.loads(line)]), flush=True)


def answer(item):
    text = complete(write_prompt(item)).strip()
    if "choices" in item:
        return text
    number = re.search(r"\d+(\.\d+)?", text)
    if number is None:
        sys.exit(f"the model answered {text!r:.200} instead of a number")
    return float(number[0])


def write_prompt(item):
    context = f"Source: {item['source']}\n" if item.get("source") else ""
    if "choices" not in item:
        context += "".join(f"Reference: {text}\n" for text in item["references"])
        return SCORE.format(context=context, hypothesis=item["hypothesis"])
    texts = {side: mark(item[side], item["places"][side]) for side in "ab"}
    labels = " ".join(LABELS[choice] for choice in item["choices"])
    return CHOOSE.format(context=context, labels=labels, choices=", ".join(item["choices"]), **texts)


def mark(text, places):
    for start, end in reversed(places):
        text = f"{text[:start]}[[{text[start:end]}]]{text[end:]}"
    return text


def complete(prompt):
    body = {
        "model": os.environ["LLM_MODEL"],
        "messages": [{"role": "user", "content": prompt}],
        "temperature": 0,
    }
    headers = {"Content-Type": "application/json"}
    if key := os.environ.get("LLM_KEY"):
        headers["Authorization"] = f"Bearer {key}"
    address = os.environ["APPRAISE_ADDRESS"].rstrip("/") + "/chat/completions"
    request = urllib.request.Request(address, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=300) as response:
        return json.load(response)["choices"][0]["message"]["content"]


if __name__ == "__main__":
    main()
