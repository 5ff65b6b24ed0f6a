"""What e-mail addresses, phone numbers and street addresses look like.

Made to raise few false alarms, so some are missed: numbers and addresses that only their context tells need that
context; addresses are known in their English and German forms; disguised ones ("name at host dot org") are not found.
Not personal are handles (@name), domains that are kept for examples (example.com, .test), numbers with 555, which are
fiction's, and toll-free numbers.
"""

import re

_LOCAL = re.compile(r"(?:^|[^\w.%+@/\\-])([A-Za-z0-9][\w.%+-]{0,63})$", re.ASCII)
_DOMAIN = re.compile(r"((?:[A-Za-z0-9][A-Za-z0-9-]{0,62}\.){1,5}[A-Za-z]{2,24})(?![\w@(/]|[.:]\w|:[~/])", re.ASCII)
_EXAMPLE = re.compile(r"(?:^|\.)(?:example(?:\.\w+)?|test|invalid|localhost|local)$", re.IGNORECASE)
_FILE = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|pdf|mp[34]|html?|css|js|ts|py|sh|txt|md|json|ya?ml|xml|zip|gz)$", re.I)

# Anything shorter or more scattered is no phone number.
_SEVEN_DIGITS = re.compile(r"[0-9](?:[^0-9\n]{0,3}[0-9]){6}")
_NOT_BEFORE = r"(?<![\w.,/=#-])"
_NOT_AFTER = r"(?![\w/=-]|[.,:][0-9])"
_NORTH_AMERICAN = re.compile(
    rf"""{_NOT_BEFORE}
    (?:\+?1[-. ]?)?
    (?P<open>\()? (?!8(?:00|33|44|55|66|77|88)) [2-9][0-9]{{2}} (?(open)\)[-. ]?|(?P<dash>[-.]))
    [2-9][0-9]{{2}} (?(dash)(?P=dash)|[-. ]) (?<!555.)[0-9]{{4}}
    {_NOT_AFTER}""",
    re.VERBOSE,
)
_INTERNATIONAL = re.compile(
    rf"(?<![\w.,/=+#-])\+(?!1[-. (]{{0,2}}(?:8(?:00|33|44|55|66|77|88)\b|555))"
    rf"[1-9](?:[-. ()/]{{0,2}}[0-9]){{7,14}}(?<!000){_NOT_AFTER}"
)
# 020 7946 1234, (0171) 123-4567: a trunk zero with an area code, then one to three groups; 10 or 11 digits.
_TRUNK_ZERO = re.compile(
    rf"{_NOT_BEFORE}(?=(?:[^0-9]{{0,2}}[0-9]){{10,11}}(?![0-9]))"
    rf"\(?0[1-9][0-9]{{1,3}}(?:\)\ ?|[- /])(?:[0-9]{{3,4}}[- ]){{0,2}}[0-9]{{3,8}}{_NOT_AFTER}"
)
_ANNOUNCED = re.compile(
    r"""(?:
        \b(?:tel|tél|(?:tele|cell)?phone|téléphone|telefon|telefono|teléfono|handy|mobile|cell|fax|whatsapp)
      | \b(?:call|ring|text|reach|phone)\ (?:me|us)
      | 电话|手机|電話|携帯
    )\b[ ]?(?:number|nummer|no|nr|is|at|on|[\W_]){0,6}(?<![\w.,-])
    (?P<number>[0-9(][-0-9 .()/]{5,22}[0-9])(?![\w/=-]|[.,:][0-9])""",
    re.IGNORECASE | re.VERBOSE,
)
_NO_NUMBER = re.compile(
    r"(?:1[0-9]|20)[0-9]{2}([-./ ])[0-9]{1,2}\1[0-9]{1,2}\b"  # a day
    r"|[0-9]{1,2}([-./ ])[0-9]{1,2}\2(?:1[0-9]|20)[0-9]{2}\b"
    r"|(?:1[0-9]|20)[0-9]{2}[- /](?:1[0-9]|20)[0-9]{2}"  # years
    r"|[0-9]{1,3}(?:\.[0-9]{1,3}){3}$"  # an IP address
    r"|97[89][- ]?[0-9]"  # an ISBN
    r"|[0-9]{1,3}(?:[ .]000)+$"  # a round amount
)

_HOUSE = re.compile(
    r"""[0-9](?<![\w.,:/$€£#-][0-9])[0-9]{0,4}[A-Za-z]?,?\ (?:[NSEW]\.?\ )?
    (?:(?:[A-Z][\w'’.-]{1,20}|[0-9]{1,3}(?:st|nd|rd|th))\ ){1,3}
    (?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr|Court|Ct|Place|Pl|Terrace|Way|Square|Sq|
    Crescent|Close|Parkway|Pkwy|Highway|Hwy)\b\.?""",
    re.VERBOSE,
)
_FLAT_OR_TOWN = re.compile(
    r"""(?:,?\ (?:Apt|Apartment|Suite|Ste|Unit|Flat|\#)\.?\ ?\w{1,5}\b)
    | ,?\s(?:[A-Z][\w'’.-]{1,20},?\s){1,3}(?:[A-Z]{2},?\s[0-9]{5}\b|[A-Z]{1,2}[0-9][0-9A-Z]?\s[0-9][A-Z]{2}\b)""",
    re.VERBOSE,
)
_WHERE_SOMEBODY_IS = re.compile(
    r"""\b(?:address(?:\ is)? | (?:liv(?:e|es|ing)|resid(?:e|es|ing)|home|house)\ (?:at|is)
    | (?:ship|mail|send|deliver)\ (?:it\ |them\ )?to | moved\ (?:in)?to)[:\ ]{1,2}$""",
    re.VERBOSE | re.IGNORECASE,
)
_GERMAN = re.compile(r"[sS]tr(?:a(?:ß|ss)e|\.) [0-9]{1,4} ?[a-z]?,?\s(?:D-)?[0-9]{5}\s[A-ZÄÖÜ]")
_BOX = re.compile(r"P\.? ?O\.? (?:Box|BOX) [0-9]{1,6}\b")


def has_email(text: str) -> bool:
    """Whether an e-mail address stands there."""
    at = text.find("@")
    while at >= 0:
        local = _LOCAL.search(text[max(0, at - 66) : at])
        domain = _DOMAIN.match(text, at + 1)
        if local and domain and not _EXAMPLE.search(domain[1]) and not _FILE.search(domain[1]):
            return True
        at = text.find("@", at + 1)
    return False


def has_phone(text: str) -> bool:
    """Whether a phone number stands there, in a form or after a word that tells it from other numbers."""
    return _has_digit(text) and any(_phone_near(text, *found.span()) for found in _SEVEN_DIGITS.finditer(text))


def _phone_near(text: str, start: int, end: int) -> bool:
    """Whether one stands around these digits: the patterns are slow, and most texts have few digits."""
    start = max(0, start - 40)
    # To end within a number could make a phone number of it.
    space = text.find(" ", end + 45, end + 200)
    end = space if space >= 0 else end + 200
    if any(pattern.search(text, start, end) for pattern in (_NORTH_AMERICAN, _INTERNATIONAL, _TRUNK_ZERO)):
        return True
    return any(
        7 <= sum(map(str.isdigit, found["number"])) <= 15 and not _NO_NUMBER.match(found["number"])
        for found in _ANNOUNCED.finditer(text, start, end)
    )


def has_address(text: str) -> bool:
    """Whether the address of a house or a box stands there: with its town or flat, or as where somebody lives."""
    if not _has_digit(text):
        return False
    for house in _HOUSE.finditer(text):
        if _FLAT_OR_TOWN.match(text, house.end()) or _WHERE_SOMEBODY_IS.search(
            text[max(0, house.start() - 40) : house.start()]
        ):
            return True
    if any(each in text for each in ("traße ", "trasse ", "tr. ")) and _GERMAN.search(text):
        return True
    return bool(_BOX.search(text))


def _has_digit(text: str) -> bool:
    # Several times as fast as a pattern or a set.
    return any(digit in text for digit in "0123456789")
