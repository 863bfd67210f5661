"""Letter case, by a rule that every language can follow alike.

Latin, Greek and Cyrillic letters, U+0041 to U+052F, become small if their small letter is one code point; all
else stays. Unicode's own rules look at the letters around, and differ between versions and languages.
"""

_FIRST, _LAST = 0x41, 0x52F
_SMALL = {code: chr(code).lower() for code in range(_FIRST, _LAST + 1) if len(chr(code).lower()) == 1}


def fold(text: str) -> str:
    """The text in small letters."""
    return text.lower() if text.isascii() else text.translate(_SMALL)
