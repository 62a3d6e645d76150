"""MetricX-24 as a program, in an environment with its repository, ``transformers`` and PyTorch.

Arguments: the model and its tokenizer. Scores are predicted errors from 0 to 25, lower is better.
"""

import json
import sys

import torch
from metricx24.models import MT5ForRegression
from transformers import AutoTokenizer

LONGEST = 1536


def main(model_name: str, tokenizer_name: str) -> None:
    tokenizer = AutoTokenizer.from_pretrained(tokenizer_name)
    model = MT5ForRegression.from_pretrained(model_name, torch_dtype="auto").eval()
    for line in sys.stdin:
        scores = [score(model, tokenizer, item) for item in json.loads(line)]
        print(json.dumps(scores), flush=True)


def score(model, tokenizer, item) -> float:
    text = f"source: {item['source']} candidate: {item['hypothesis']}"
    if item["references"]:
        text += f" reference: {item['references'][0]}"
    encoded = tokenizer(text, max_length=LONGEST, truncation=True, return_tensors="pt")
    # The model was trained without the end mark that the tokenizer appends.
    inputs = {name: encoded[name][:, :-1] for name in ("input_ids", "attention_mask")}
    with torch.inference_mode():
        return float(model(**inputs).predictions[0])


if __name__ == "__main__":
    main(*sys.argv[1:3])
