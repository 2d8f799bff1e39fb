"""Makes small pictures of screenshots: finish.py TAKEN IMAGES

Each NAME.png in TAKEN becomes IMAGES/NAME.png with a palette; each folder NAME with frames and a frames.json becomes IMAGES/NAME.gif.
"""

import json
import sys
from pathlib import Path

from PIL import Image

# Colours of a picture. What is drawn for a screen has few, and shades of letters fill the rest.
COLOURS = 256


def palette_of(pictures):
    """A picture whose palette fits all of these: they stand in it below each other."""
    width = max(picture.width for picture in pictures)
    column = Image.new("RGB", (width, sum(picture.height for picture in pictures)))
    top = 0
    for picture in pictures:
        column.paste(picture, (0, top))
        top += picture.height
    return column.quantize(COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)


def opened(path):
    return Image.open(path).convert("RGB")


def with_palette(picture, palette):
    return picture.quantize(palette=palette, dither=Image.Dither.NONE)


def still(path, images):
    picture = opened(path)
    to = images / path.name
    with_palette(picture, palette_of([picture])).save(to, optimize=True)
    return to


def animation(folder, images):
    frames = json.loads((folder / "frames.json").read_text())
    pictures = [opened(folder / frame["file"]) for frame in frames]
    palette = palette_of(pictures)
    first, *others = [with_palette(picture, palette) for picture in pictures]
    to = images / f"{folder.name}.gif"
    durations = [frame["milliseconds"] for frame in frames]
    first.save(to, save_all=True, append_images=others, duration=durations, loop=0, optimize=False, disposal=1)
    return to


def main():
    taken, images = map(Path, sys.argv[1:])
    made = [still(path, images) for path in sorted(taken.glob("*.png")) if not path.name.startswith("failed-")]
    made += [animation(path.parent, images) for path in sorted(taken.glob("*/frames.json"))]
    for path in made:
        with Image.open(path) as picture:
            print(f"{path}: {picture.width}x{picture.height}, {path.stat().st_size // 1000} kB")


main()
