"""The robust codec: payloads that survive JPEG, blur, resizing, crops, rotation and light."""

from morebits.codecs.robust.codec import Robust

__all__ = ["Robust"]
