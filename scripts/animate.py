"""Make the README's animation out of the frames that `make pictures` takes.

    python scripts/animate.py FOLDER FILE.webp

`frames.json` in the folder lists the frames, when each was drawn, and how long it is to be held.
It plays faster than the run was, long waits are cut short, and of frames that follow each other
too fast some are left out.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from PIL import Image

MAX_BYTES = 1_500_000
WIDTH = 900
SPEED = 3
SHORTEST, LONGEST = 0.16, 0.4
"""Seconds that a frame is shown when nothing says that it is to be held."""

Frame = tuple[Path, float]


def frames_in(folder: Path) -> list[Frame]:
    listed = json.loads((folder / "frames.json").read_text())
    frames: list[Frame] = []
    left_over = 0.0
    for one, following in zip(listed, [*listed[1:], None], strict=True):
        lasted = (following["at"] - one["at"]) / SPEED if following else 0.0
        lasted = min(lasted, LONGEST)
        left_over += max(lasted, one["hold"])
        if left_over >= SHORTEST:
            frames.append((folder / one["file"], left_over))
            left_over = 0.0
    return frames


def picture(path: Path) -> Image.Image:
    image = Image.open(path).convert("RGB")
    height = round(image.height * WIDTH / image.width)
    return image.resize((WIDTH, height), Image.Resampling.LANCZOS)


def main() -> int:
    folder, target = Path(sys.argv[1]), Path(sys.argv[2])
    frames = frames_in(folder)
    first, *others = [picture(path) for path, _ in frames]
    durations = [round(seconds * 1000) for _, seconds in frames]
    first.save(
        target,
        save_all=True,
        append_images=others,
        duration=durations,
        loop=0,
        quality=55,
        method=6,
        minimize_size=True,
        kmax=20,
    )
    size = target.stat().st_size
    print(f"{target}: {len(frames)} frames, {sum(durations) / 1000:.0f} s, {size:,} bytes")
    return 0 if size <= MAX_BYTES else 1


if __name__ == "__main__":
    sys.exit(main())
