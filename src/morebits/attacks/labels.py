"""Attacks as tables print them: label -> text in the grammar, here and nowhere else."""

from __future__ import annotations

_SIDES = (32, 45, 55, 63, 71, 77, 84, 89, 95)
_LIGHT = (10, 25, 50, 75, 125, 150, 175, 200)

#: The 56 rows of the paper's tables "Extended results of Chunky Seal", in their order. The label
#: is what the row has in brackets, `Bit Acc. (Rotate 5°)`; the first row has no brackets.
PAPER = {
    "Identity": "none",
    "Horizontal Flip": "hflip",
    **{f"Rotate {angle}°": f"rotate:{angle}" for angle in (5, 10, 30, 45, 90)},
    **{f"Resize {side}%": f"resize:{side / 100:g}" for side in _SIDES},
    **{f"Crop {side}%": f"crop:{side / 100:g}" for side in _SIDES},
    **{f"Brightness {light}%": f"brightness:{light / 100:g}" for light in _LIGHT},
    **{f"Contrast {light}%": f"contrast:{light / 100:g}" for light in _LIGHT},
    **{f"Hue {turn:g}": f"hue:{turn:g}" for turn in (-0.2, -0.1, 0.1, 0.2)},
    **{f"JPEG {quality}": f"jpeg:{quality}" for quality in (40, 50, 60, 70, 80, 90)},
    **{f"Gaussian Blur {kernel}": f"blur:{kernel}" for kernel in (3, 5, 9, 13, 17)},
}

#: What users meet beyond the paper.
WILD = {
    "Vertical Flip": "vflip",
    "Rotate 180°": "rotate:180",
    "Rotate -7°": "rotate:-7",
    "Half size and back": "rescale:0.5",
    "Twice the size": "resize:2",
    "Shift by 3, -2 pixels": "translate:3,-2",
    **{f"Perspective {part:g}": f"perspective:{part:g}" for part in (0.1, 0.3, 0.5)},
    **{f"Saturation {factor:g}": f"saturation:{factor:g}" for factor in (0.5, 1.5, 2)},
    "Grayscale": "grayscale",
    **{f"Gamma {power:g}": f"gamma:{power:g}" for power in (0.5, 0.8, 1.25, 2)},
    "Posterize 4 bits": "posterize:4",
    **{f"JPEG {quality}": f"jpeg:{quality}" for quality in (10, 20, 30)},
    **{f"WebP {quality}": f"webp:{quality}" for quality in (30, 50, 80)},
    **{f"AVIF {quality}": f"avif:{quality}" for quality in (30, 50, 80)},
    "JPEG 50, then 80": "jpeg:50|jpeg:80",
    **{f"Median {kernel}": f"median:{kernel}" for kernel in (3, 5)},
    **{f"Sharpness {factor:g}": f"sharpness:{factor:g}" for factor in (0, 2, 4)},
    **{f"Gaussian noise {sigma:g}": f"noise:{sigma:g}" for sigma in (2, 5, 10, 20)},
    "Salt and pepper 1%": "saltpepper:0.01",
    "Rectangle over 10%": "rectangle:0.1",
    "Text": "text:0.08",
    "Emoji": "emoji:0.25",
    "Logo": "logo:0.2",
    "Screenshot at 80%": "resize:0.8|crop:0.9|jpeg:85",
    "Social network, 1080 pixels": "fit:1080|crop:0.96|jpeg:70",
    "Social network, 640 pixels": "fit:640|crop:0.96|jpeg:70",
    "Crop 71%, brightness 120%, JPEG 60": "crop:0.71|brightness:1.2|jpeg:60",
    "Rotate 30°, JPEG 60": "rotate:30|jpeg:60",
    "Resize 71%, JPEG 60": "resize:0.71|jpeg:60",
    "Crop 45%, JPEG 60": "crop:0.45|jpeg:60",
    "Resize 45%, JPEG 60": "resize:0.45|jpeg:60",
    "JPEG 60, crop 71%, brightness 50%": "jpeg:60|crop:0.71|brightness:0.5",
}

BY_TEXT = {text: label for label, text in (WILD | PAPER).items()}
