"""Compare two folders of screenshots, as ``python -m scripts.screenshots --all FOLDER`` writes them.

    python -m scripts.compare_screenshots BEFORE AFTER

Prints a line for each picture that differs: the share of pixels and the box around them. Exits 1 if any does.
"""

from __future__ import annotations

import argparse
import base64
import sys
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page

from scripts.demo_site import open_browser

# Chromium decodes the pictures, so that no image library is needed.
COMPARE = """async (sources) => {
  const load = async (source) => createImageBitmap(await (await fetch(source)).blob());
  const images = await Promise.all(sources.map(load));
  const width = Math.max(...images.map((image) => image.width));
  const height = Math.max(...images.map((image) => image.height));
  const [a, b] = images.map((image) => {
    const context = new OffscreenCanvas(width, height).getContext("2d");
    context.drawImage(image, 0, 0);
    return new Uint32Array(context.getImageData(0, 0, width, height).data.buffer);
  });
  let count = 0, left = width, top = height, right = 0, bottom = 0;
  for (let i = 0; i < a.length; i++) {
    if (a[i] === b[i]) continue;
    const x = i % width, y = Math.floor(i / width);
    count += 1;
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
  }
  return { share: count / a.length, box: [left, top, right, bottom] };
}"""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    options = parser.parse_args()
    before, after = pictures(options.before), pictures(options.after)
    lines = [f"{name}: only {side}" for side, name in one_sided(before, after)]
    common = sorted(before & after)
    with open_browser() as chromium:
        page = chromium.new_page()
        for name in common:
            lines += differences(page, name, options.before / name, options.after / name)
    print("\n".join([*lines, f"{len(common)} pictures compared, {len(lines)} differ"]))
    return 1 if lines else 0


def pictures(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*.png")}


def one_sided(before: set[str], after: set[str]) -> Iterator[tuple[str, str]]:
    yield from (("before", name) for name in sorted(before - after))
    yield from (("after", name) for name in sorted(after - before))


def differences(page: Page, name: str, before: Path, after: Path) -> Iterator[str]:
    """A line if the pixels differ; equal files need no look at their pixels."""
    data = [path.read_bytes() for path in (before, after)]
    if data[0] == data[1]:
        return
    sources = [f"data:image/png;base64,{base64.b64encode(content).decode()}" for content in data]
    result = page.evaluate(COMPARE, sources)
    if result["share"]:
        left, top, right, bottom = result["box"]
        yield f"{name}: {result['share']:.3%} of the pixels, x {left}–{right}, y {top}–{bottom}"


if __name__ == "__main__":
    sys.exit(main())
