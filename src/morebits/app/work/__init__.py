"""What worker processes do for the page: the public calls, with files in and files out.

Every task takes `report(fraction, stage, partial)` first, gets plain values and paths, and returns
plain values. Pictures stay in files, since they are large and others need them too.
"""

from morebits.app.work import attacking, hiding, measuring, pictures, revealing

__all__ = ["attacking", "hiding", "measuring", "pictures", "revealing"]
