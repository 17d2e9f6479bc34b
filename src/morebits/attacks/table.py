"""Every word of the grammar of attacks, with its ranges; `docs/attacks.md` shows this table."""

from __future__ import annotations

from morebits.attacks import colour, compression, filters, geometry, overlays
from morebits.attacks.kinds import Kind, Value

_RATIO = Value("ratio", 0, 1, neutral=1, above=True)
_RESIZE = Value("ratio", 0, 4, neutral=1, above=True)
_FACTOR = Value("factor", 0, 100, neutral=1)
_QUALITY = Value("quality", 1, 100, neutral=100, whole=True)
_PIXELS = Value("pixels", -1_000_000, 1_000_000, neutral=0, whole=True)
_PART = Value("fraction", 0, 1, neutral=0, above=True)

_ALL = (
    Kind("hflip", "flip", geometry.hflip, "left and right mirrored", "hflip"),
    Kind("vflip", "flip", geometry.vflip, "top and bottom mirrored", "vflip"),
    Kind(
        "rotate", "rotate", geometry.rotate,
        "turned counterclockwise, nearest pixel, same canvas, black corners; "
        "multiples of 90 turn the canvas too",
        "rotate:10", (Value("degrees", -360, 360, neutral=0),),
    ),
    Kind(
        "resize", "resize", geometry.resize,
        "both sides times the ratio (cut to whole pixels), antialiased bilinear",
        "resize:0.71", (_RESIZE,),
    ),
    Kind(
        "rescale", "rescale", geometry.rescale, "resized, and back to the size it had",
        "rescale:0.5", (_RESIZE,),
    ),
    Kind(
        "fit", "fit", geometry.fit,
        "resized so that the long side has so many pixels; smaller pictures stay as they are",
        "fit:1080", (Value("side", 1, 65500, whole=True),),
    ),
    Kind(
        "crop", "crop", geometry.crop,
        "a part with both sides times the ratio (cut to whole pixels), anywhere",
        "crop:0.71", (_RATIO,), random=True,
    ),
    Kind(
        "translate", "translate", geometry.translate,
        "moved right and down; border pixels are repeated into the gap",
        "translate:3,-2", (_PIXELS, _PIXELS),
    ),
    Kind(
        "perspective", "perspective", geometry.perspective,
        "each corner drawn inwards by up to this fraction of half a side; bilinear, black outside",
        "perspective:0.3", (Value("distortion", 0, 0.9, neutral=0),), random=True,
    ),
    Kind("brightness", "brightness", colour.brightness, "every sample times the factor",
         "brightness:1.25", (_FACTOR,)),
    Kind("contrast", "contrast", colour.contrast, "blended with the mean gray of the picture",
         "contrast:1.25", (_FACTOR,)),
    Kind("saturation", "saturation", colour.saturation, "every pixel blended with its own gray",
         "saturation:1.5", (_FACTOR,)),
    Kind("hue", "hue", colour.hue, "hue (HSV) turned by a fraction of the circle",
         "hue:0.1", (Value("turn", -0.5, 0.5, neutral=0),)),
    Kind("grayscale", "grayscale", colour.grayscale, "gray in all channels", "grayscale"),
    Kind("gamma", "gamma", colour.gamma, "every sample (0 to 1) to this power",
         "gamma:1.5", (Value("exponent", 0, 10, neutral=1, above=True),)),
    Kind("posterize", "posterize", colour.posterize, "only the highest bits of every sample",
         "posterize:4", (Value("bits", 1, 8, neutral=8, whole=True),)),
    Kind("jpeg", "jpeg", compression.jpeg, "saved as JPEG, 4:2:0", "jpeg:50", (_QUALITY,)),
    Kind("webp", "webp", compression.webp, "saved as lossy WebP", "webp:50", (_QUALITY,)),
    Kind("avif", "avif", compression.avif, "saved as AVIF, 4:2:0", "avif:50", (_QUALITY,)),
    Kind(
        "blur", "blur", filters.blur,
        "Gaussian blur over so many pixels a side, reflected at the border; "
        "sigma is 0.15 kernel + 0.35",
        "blur:9", (Value("kernel", 3, 99, neutral=1, odd=True),),
    ),
    Kind("median", "median", filters.median, "median of so many pixels a side",
         "median:3", (Value("kernel", 3, 9, neutral=1, odd=True),)),
    Kind("sharpness", "sharpness", filters.sharpness,
         "away from a smoothed copy (above 1), or towards it (below 1)",
         "sharpness:2", (_FACTOR,)),
    Kind("noise", "noise", filters.noise, "Gaussian noise of so many levels",
         "noise:5", (Value("sigma", 0, 255, neutral=0, above=True),), random=True),
    Kind("saltpepper", "saltpepper", filters.saltpepper,
         "a fraction of the pixels black or white", "saltpepper:0.01", (_PART,), random=True),
    Kind("rectangle", "overlay", overlays.rectangle,
         "a rectangle of one colour over a fraction of the area",
         "rectangle:0.1", (_PART,), random=True),
    Kind("text", "overlay", overlays.text, "a line of text, its height a fraction of the height",
         "text:0.08", (_PART,), random=True),
    Kind("emoji", "overlay", overlays.emoji,
         "a smiling face, its width a fraction of the short side",
         "emoji:0.25", (_PART,), random=True),
    Kind("logo", "overlay", overlays.logo,
         "a half-transparent logo in a corner, its width a fraction of the width",
         "logo:0.2", (_PART,), random=True),
)  # fmt: skip

KINDS = {each.name: each for each in _ALL}

#: Words that stand for several others; `{}` is their value, which must suit the first of them.
PIPELINES = {
    "social": ("fit:{}|crop:0.96|jpeg:70", "social:1080", "as a social network sends it on"),
    "screenshot": (
        "resize:{}|crop:0.9|jpeg:85", "screenshot:0.8", "shown at another size, cut out, sent on",
    ),
}  # fmt: skip

#: The word that changes nothing.
IDENTITY = "none"

#: All names that `parse` knows.
KNOWN = (IDENTITY, *KINDS, *PIPELINES)

#: Family -> (axis, neutral value) of the curves that can be drawn for it: the attacks of one
#: family that have a strength, sorted by it, with the untouched picture at the neutral value.
FAMILIES = {
    each.family: (each.values[0].name, each.values[0].neutral)
    for each in _ALL
    if len(each.values) == 1 and each.family != "overlay"
}
