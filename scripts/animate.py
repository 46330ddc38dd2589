"""Make the README's animation out of the frames that `make pictures` takes.

    python scripts/animate.py FOLDER FILE.webp

A frame's name ends in the milliseconds it is shown: `007-420.png`. Frames that show what the one
before shows are left out.
"""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image, ImageChops

MAX_BYTES = 1_500_000
MAX_FRAMES = 60
WIDTH = 960


def frames_in(folder: Path) -> tuple[list[Image.Image], list[int]]:
    images: list[Image.Image] = []
    durations: list[int] = []
    for path in sorted(folder.glob("*.png")):
        image = Image.open(path).convert("RGB")
        image = image.resize(
            (WIDTH, round(image.height * WIDTH / image.width)), Image.Resampling.LANCZOS
        )
        if images and ImageChops.difference(images[-1], image).getbbox() is None:
            continue
        images.append(image)
        durations.append(int(path.stem.rpartition("-")[2]))
    return images, durations


def thinned(images: list[Image.Image], durations: list[int]) -> tuple[list[Image.Image], list[int]]:
    """Every so manieth of the short frames; those that are to be read stay."""
    short = min(durations)
    every = -(-len(images) // MAX_FRAMES)
    kept = [n for n, ms in enumerate(durations) if ms > short or n % every == 0]
    return [images[n] for n in kept], [durations[n] for n in kept]


def main() -> int:
    folder, target = Path(sys.argv[1]), Path(sys.argv[2])
    images, durations = frames_in(folder)
    if not images:
        print(f"there are no frames in {folder}")
        return 1
    images, durations = thinned(images, durations)
    images[0].save(
        target,
        save_all=True,
        append_images=images[1:],
        duration=durations,
        loop=0,
        quality=70,
        method=6,
        minimize_size=True,
    )
    size = target.stat().st_size
    print(f"{target}: {len(images)} frames, {sum(durations) / 1000:.0f} s, {size:,} bytes")
    return 0 if size <= MAX_BYTES else 1


if __name__ == "__main__":
    sys.exit(main())
