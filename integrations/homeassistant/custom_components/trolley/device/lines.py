"""Parses written lines into items: docs/journal.md, 'Lines'. `Tests/Vectors/lines` has cases for each rule.

It works on UTF-8, as the rule does: text and quantity are pieces of the line, byte for byte.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_LONGEST = 1024
_SPACES = [" ", "\u00a0", "\u2007", "\u2009", "\u202f", "\u3000"]
_SPACE = "(?:[\t-\r]|" + "|".join(_SPACES) + ")"
_LEADING = re.compile(f"{_SPACE}*".encode())
_TRAILING = re.compile(f"{_SPACE}+$".encode())
_LINE_END = re.compile("\r\n|\r|\n|\u2028|\u2029".encode())

_BULLETS = ["-", "*", "+", "–", "—", "•", "‣", "◦", "·", "▪", "●", "○"]
_BOXES = ["[ ]", "[]", "☐", "⬜", "◻", "⬚", "[x]", "[X]", "☑", "☒", "✓", "✔", "✅", "🗹"]
_NUMBERED = re.compile(rb"\d{1,3}[.)]")
_VARIATION = re.compile("(?:\ufe0e|\ufe0f)+".encode())

_MEASURES = [
    "kilograms", "kilogram", "kilos", "kilo", "kg", "grams", "gram", "gr", "mg", "g", "litres", "litre", "liters",
    "liter", "ml", "cl", "dl", "l", "fl oz", "ounces", "ounce", "oz", "pounds", "pound", "lbs", "lb", "pints", "pint",
    "quarts", "quart", "qt", "gallons", "gallon", "gal", "tbsp", "tsp", "dozen", "pcs", "pc",
]  # fmt: skip
_THINGS = [
    ("bag", "bags"), ("bottle", "bottles"), ("box", "boxes"), ("bunch", "bunches"), ("can", "cans"),
    ("carton", "cartons"), ("clove", "cloves"), ("cup", "cups"), ("head", "heads"), ("jar", "jars"),
    ("loaf", "loaves"), ("pack", "packs"), ("packet", "packets"), ("piece", "pieces"), ("slice", "slices"),
    ("tin", "tins"), ("tub", "tubs"), ("tube", "tubes"),
]  # fmt: skip
_FRACTION = re.compile("½|¼|¾|⅓|⅔|⅛|[0-9]+/[0-9]+".encode())
_DIGITS = re.compile(rb"[0-9]+")
_DECIMALS = re.compile(rb"[.,][0-9]+")


@dataclass(frozen=True)
class ItemLine:
    """A line's item."""

    text: str
    quantity: str | None = None


def lines_of(text: str) -> list[ItemLine]:
    """The items of a text, one a line. Lines that name no item are left out."""
    return [item for line in _LINE_END.split(_encoded(text)) if (item := _item(line))]


def item_of(line: str) -> ItemLine | None:
    """The item of one line; None if it names none."""
    return _item(_encoded(line))


def is_ticked(line: str) -> bool:
    """Whether a ticked box stands before the item."""
    return _without_markers(_encoded(line))[1]


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _item(line: bytes) -> ItemLine | None:
    rest, _ = _without_markers(line)
    if not rest:
        return None
    text, quantity = _parts(rest) or (rest, None)
    return ItemLine(text.decode(), quantity.decode() if quantity is not None else None)


def _space(data: bytes) -> int:
    leading = _LEADING.match(data)
    return leading.end() if leading else 0


def _trimmed(data: bytes) -> bytes:
    return _TRAILING.sub(b"", data[_space(data) :])


def _is_letter(byte: int) -> bool:
    return byte >= 0x80 or 0x61 <= byte | 0x20 <= 0x7A


def _is_digit(byte: int) -> bool:
    return 0x30 <= byte <= 0x39


# Markers


def _without_markers(line: bytes) -> tuple[bytes, bool]:
    """The line without bullet, number and box, each at most once, and whether the box is ticked."""
    rest = _trimmed(line)
    if rest.startswith("\ufeff".encode()):
        rest = _trimmed(rest[3:])
    has_bullet = has_number = has_box = is_ticked = False
    while True:
        if not has_bullet and (taken := _take(rest, _BULLETS)):
            has_bullet, (rest, _) = True, taken
        elif not has_box and (taken := _take(rest, _BOXES)):
            has_box, (rest, marker) = True, taken
            is_ticked = _BOXES.index(marker) >= 6
        elif not has_number and (number := _NUMBERED.match(rest)) and _space(rest[number.end() :]):
            has_number, rest = True, _trimmed(rest[number.end() :])
        else:
            return rest, is_ticked


def _take(rest: bytes, markers: list[str]) -> tuple[bytes, str] | None:
    for marker in markers:
        encoded = marker.encode()
        if not rest.startswith(encoded):
            continue
        after = rest[len(encoded) :]
        if marker.isascii() and after and not _space(after):
            continue
        if variation := _VARIATION.match(after):
            after = after[variation.end() :]
        return _trimmed(after), marker
    return None


# Amounts


@dataclass
class _Amount:
    """An amount at the start of some text: `2`, `500 g`, `1 1/2 cups`, `2 × 500 g`."""

    rest: bytes
    has_unit: bool = False
    is_one_thing: bool = False

    @property
    def text(self) -> bytes:
        """The item's name: the rest without an 'of'."""
        text = _trimmed(self.rest)
        of = _after_word(text, "of")
        return text if of is None or not _space(of) else _trimmed(of)

    @property
    def is_followed_by_text(self) -> bool:
        rest = _trimmed(self.rest)
        if not _space(self.rest) or not rest or not self.text:
            return False
        return not self.is_one_thing or len(self.text) < len(rest)


def _amount(data: bytes) -> _Amount | None:
    is_product = False
    while True:
        number = _number(data)
        if number is None:
            return None
        rest = data[number:]
        times = _times(rest)
        factor = rest[times[0] :] if times else b""
        factor = factor[_space(factor) :]
        if not times or _number(factor) is None:
            break
        data, is_product = factor, True
    unit = rest[_space(rest) :]
    for word in _MEASURES:
        if (end := _after_word(unit, word)) is not None:
            after_stop = end[1:]
            if end.startswith(b".") and (not after_stop or _space(after_stop)):
                end = after_stop
            return _Amount(end, True)
    for index in (1, 0):
        for names in _THINGS:
            if (end := _after_word(unit, names[index])) is not None:
                return _Amount(end, True, index == 0)
    return _Amount(rest, is_product)


def _after_word(data: bytes, word: str) -> bytes | None:
    if data[: len(word)].lower() != word.encode():
        return None
    rest = data[len(word) :]
    if rest and (_is_digit(rest[0]) or _is_letter(rest[0])) and not _space(rest):
        return None
    return rest


def _number(data: bytes) -> int | None:
    if fraction := _FRACTION.match(data):
        return fraction.end()
    whole = _DIGITS.match(data)
    if not whole:
        return None
    after = data[whole.end() :]
    if fraction := _FRACTION.match(after[_space(after) :]):
        return whole.end() + _space(after) + fraction.end()
    if decimals := _DECIMALS.match(after):
        return whole.end() + decimals.end()
    return whole.end()


def _times(data: bytes) -> tuple[int, int, bool] | None:
    """A times sign at the start: the length with the white space before it, that of the white space, and whether it is a letter."""
    space = _space(data)
    sign = data[space:]
    if sign.startswith("×".encode()):
        return space + 2, space, False
    if not sign or sign[:1].lower() not in (b"x", b"*"):
        return None
    if len(sign) > 1 and _is_letter(sign[1]):
        return None
    return space + 1, space, True


def _is_whole(data: bytes) -> bool:
    amount = _amount(data)
    return amount is not None and not amount.rest


def _whole(data: bytes) -> bytes | None:
    """The amount, if the text is nothing else: `2 l`, `x2`, `2x`."""
    if _is_whole(data):
        return data
    if (times := _times(data)) and _is_whole(_trimmed(data[times[0] :])):
        return _trimmed(data[times[0] :])
    number = _number(data)
    if number is not None and (times := _times(data[number:])) and number + times[0] == len(data):
        return data[:number]
    return None


def _is_count(number: bytes) -> bool:
    digits = _DIGITS.match(number)
    length = digits.end() if digits else 0
    if length < len(number):
        return b"." not in number and b"," not in number
    return length <= 2 and not number.startswith(b"0")


# Text and quantity


def _parts(line: bytes) -> tuple[bytes, bytes] | None:
    """The text and the quantity; None when there is no quantity, or no text beside it."""
    if len(line) > _LONGEST or _is_whole(line):
        return None
    parts = _in_front(line) or _in_brackets(line) or _behind_sign(line) or _at_the_end(line)
    if not parts:
        return None
    text, quantity = _trimmed(parts[0]), _trimmed(parts[1])
    if not quantity or not any(_is_letter(byte) or _is_digit(byte) for byte in text):
        return None
    return text, quantity


def _in_front(line: bytes) -> tuple[bytes, bytes] | None:
    number = _number(line)
    if number is None:
        return None
    after_number = line[number:]
    if times := _times(after_number):
        rest = after_number[times[0] :]
        amount = _amount(_trimmed(rest))
        if amount and amount.has_unit and amount.is_followed_by_text:
            return amount.text, line[: len(line) - len(amount.rest)]
        # `2xl shirts` is a size.
        return (rest, line[:number]) if _space(rest) or not times[2] else None
    amount = _amount(line)
    if amount and amount.has_unit and amount.is_followed_by_text:
        return amount.text, line[: len(line) - len(amount.rest)]
    # A bare number must be a count, before a word of three letters or more: not `7 up`, not `00 flour`.
    if not _is_count(line[:number]) or not _space(after_number):
        return None
    name = _trimmed(after_number)
    if len(name) < 3 or not all(_is_letter(byte) for byte in name[:3]):
        return None
    return name, line[:number]


def _in_brackets(line: bytes) -> tuple[bytes, bytes] | None:
    bracket = line.rfind(b"(")
    if not line.endswith(b")") or bracket < 0:
        return None
    quantity = _whole(_trimmed(line[bracket + 1 : -1]))
    return None if quantity is None else (line[:bracket], quantity)


def _behind_sign(line: bytes) -> tuple[bytes, bytes] | None:
    for index in range(1, len(line)):
        before, after = line[:index], line[index:]
        if after[:1] in (b",", b":"):
            is_decimal = _is_digit(before[-1]) and len(after) > 1 and _is_digit(after[1])
            if not is_decimal and (quantity := _whole(_trimmed(after[1:]))) is not None:
                return before, quantity
        elif (times := _times(after)) and times[1] == 0 and len(_trimmed(before)) < len(before):
            stem = _trimmed(before)
            quantity = _trimmed(after[times[0] :])
            if not (stem and _is_digit(stem[-1])) and _is_whole(quantity):
                return before, quantity
    return None


def _at_the_end(line: bytes) -> tuple[bytes, bytes] | None:
    for index in range(1, len(line)):
        if not _is_digit(line[index]) or not _TRAILING.search(line[:index]):
            continue
        end = line[index:]
        amount = _amount(end)
        if amount and amount.has_unit and not amount.rest:
            return line[:index], end
        number = _number(end)
        if number is not None and (times := _times(end[number:])) and number + times[0] == len(end):
            return line[:index], end[:number]
    return None
