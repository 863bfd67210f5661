"""Letter case by a rule that is the same in every language."""

import hashlib

from lane.base.lettercase import fold


def test_latin_greek_and_cyrillic_letters_become_small():
    assert fold("Go TO Öl ŠKODA ΣΊΣΥΦΟΣ Ёлка") == "go to öl škoda σίσυφοσ ёлка"


def test_what_has_no_small_letter_of_one_code_point_stays():
    assert fold("İ ẞ ﬀ \u13a0 Ⴀ 𐐀 ß ς") == "İ ẞ ﬀ \u13a0 Ⴀ 𐐀 ß ς"


def test_each_letter_is_folded_alone_and_once():
    """Neither the letters around nor the version of Unicode count."""
    letters = [chr(code) for code in range(0x800)]
    folded = [fold(f"x{letter}x")[1:-1] for letter in letters]
    assert all(len(one) == 1 and fold(one) == one for one in folded)
    assert fold("".join(letters)) == "".join(folded)
    digest = hashlib.sha256("".join(folded).encode()).hexdigest()
    assert digest == "bf4b25c35e5e723bce8ca9ed3f6f5aaad23c5e66e70f8de429e3d2bd22f6ac16"
