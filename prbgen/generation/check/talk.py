"""Does the answer talk about rubrics, profiles, earlier posts or its own task?"""

import re

from prbgen.generation.check.base import PASSED, Finding, Given
from prbgen.text import one_line

_EARLIER = r"(?:earlier|past|previous|prior|other|older|former|recent)"
_POSTS = r"(?:posts|threads|messages)"
_SAID = r"(?:mentioned|described|shared|posted|wrote|written)"
_FACTS = r"(?:information|context|details|background)"
_LISTED = r"(?:listed|given|stated|provided|supplied)"
_ANSWER = r"(?:answer|response|reply)"
# Remarks that give an answer's making away, whatever the question is. In lower case, which is faster than to ignore it.
_ALWAYS = re.compile(
    rf"""
    \b(?:
      the\ asker\b
    | the\ user\ (?:is\ asking|wants\ to\ know)\b
    | your\ (?:
        (?:\w+\ )?{_EARLIER}\ questions?
      | (?:known|listed|recorded|stated|stored|documented)\ (?:preferences|interests|tastes|habits)
      | preferences,?\ as\ (?:they\ are\ )?{_LISTED}
      )\b
    | what\ you(?:'ve|\ have)?\ {_SAID}\ (?:before|earlier|previously)\b
    | you(?:'ve|\ have|\ had)?\ (?:once|previously|earlier)\ (?:{_SAID}|noted|said)\b
    | you(?:'ve|\ have|\ had)?\ {_SAID}\ (?:\w+\ ){{0,4}}(?:before|earlier|previously|in\ the\ past)
      (?=\s*(?:[,.;:!?)]|$|that\b|on\b|here\b))
    | i\ (?:remember|recall)\ (?:you|your)\ (?:\w+\ )?(?:asking|mentioning|saying|posting|writing|question|posts?)\b
    | (?:the|these|those|all)\ (?:\w+\ )?{_LISTED}\ (?:aspects|points|criteria|preferences)\b
    | (?:aspects|points|criteria|preferences)\ (?:listed\ above|you\ (?:listed|gave))\b
    | (?:the|these|those)\ (?:aspects\ to\ (?:cover|avoid)|(?:aspects|points)\ to\ leave\ out)\b
    | (?:based\ on|given|from|according\ to)\ (?:all\ )?the\ (?:{_FACTS}\ {_LISTED}|{_LISTED}\ {_FACTS})
      (?=\s*(?:[,.;:]|$))
    | (?:this|my)\ {_ANSWER}\ (?:deliberately|intentionally|avoids|addresses|leaves\ out|sticks\ to)\b
    | (?:tailored|personali[sz]ed)\ (?:this\ |my\ |the\ )?{_ANSWER}\b
    | {_ANSWER}\ (?:that\ is\ )?(?:tailored|personali[sz]ed)\b
    | (?:this|my)\ {_ANSWER}\ does\ not\ (?:cover|mention|include)\b
    | (?:aspects|points)\ that\ you\ (?:asked|wanted)\b
    | (?:based\ on|given|from)\ what\ i\ know\ (?:about|of)\ you\b
    | i(?:'ve|\ have)\ (?:tailored|personali[sz]ed)\b
    | as\ (?:you\ )?instructed\b(?!\ (?:by|on|in)\b)
    | (?:according\ to|based\ on|from|per)\ (?:the|your)\ (?:narrative|preferences)\b
    | (?:the|my|your|these)\ instructions\ (?:given|above)\b
    | my\ task\ (?:is|was)\b
    | as\ an\ (?:ai(?=,|\ i\b|\ (?:language\ )?model|\ assistant)|artificial\ intelligence\b|language\ model\b)
    | here(?:'s|\ is)\ (?:the|my|an?|your)\ (?:\w+\ )?{_ANSWER}\b
      (?=\s*(?::|$|\.|to\b|within\b|in\ \d|without\b|tailored\b))
    )
    """,
    re.VERBOSE | re.MULTILINE,
)
# Remarks that are to be expected where the question itself is about such things: it has the last word of each, then.
_UNLESS_ASKED = re.compile(
    rf"""
    \b(?:
      (?:your|the\ (?:user|person)'s)\ (?:user\ )?(?:profile|(?:post(?:ing)?|question|comment)\ history)\b
    | (?:your|an?|another|these|those)\ (?:\w+\ )?{_EARLIER}\ (?:posts?|threads?|messages?)\b
    | (?:based\ on|judging\ (?:by|from)|going\ by|according\ to|looking\ at|reading|i(?:'ve|\ have)?\ seen(?:\ in)?)
      \ (?:all\ )?your\ (?:\w+\ )?{_POSTS}\b
    | (?:as|given)\ your\ (?:\w+\ )?{_POSTS}\b
    | (?:as\ seen\ )?in\ your\ (?:{_EARLIER}\ )?comments\b
    | your\ {_POSTS}(?=\ (?:here\ )?(?:show|suggest|mention|say|tell|reveal|indicate|make\ clear)\b)
    | what\ you(?:'ve)?\ (?:usually|often|normally|typically|generally|always|tend\ to)\ (?:write|ask|post|share)\b
    | the\ aspects\b(?!\ (?:of|that|which|you|where|in|are)\b)
    | according\ to\ the\ (?:user\ )?profile\b
    | in\ your\ {_POSTS}\b
    | what\ you\ {_SAID}\ in\ (?:other|your)\ (?:\w+\ )?{_POSTS}\b
    | rubrics?\b
    | (?:system\ prompt|(?:the|my|your|this)\ prompt(?=\ (?:asks?|says?|given|above|states?|mentions?)\b))
    | (?:the|my|your|this)\ (?:\w+\ )?word\ (?:limit|count)\b
    | word\ count(?=\s*:)
    | (?:within|under|in)\ (?:the\ )?(?P<limit>\d{{1,6}})(?:-|\ )words?\b
    | (?:deine[mnr]?|ihre[mnr]?)\ (?:früheren|bisherigen|vorherigen|anderen|alten)\ (?:beiträgen?|posts?|fragen)\b
    | (?:dein(?:em|es)?\ profil|(?:ton|votre)\ profil|(?:tu|teu)\ perfil)\b
    | (?:tes|vos)\ (?:(?:ancien|autre|précédent)(?:ne)?e?s\ (?:messages|posts|publications|questions)
      |(?:messages|posts|publications|questions)\ (?:précédent|antérieur|passé)e?s)\b
    | (?:tus|sus)\ (?:publicaciones|mensajes|posts|preguntas)\ (?:anteriores|pasad[ao]s|previ[ao]s)\b
    )
    | [你您](?:之前|以前|过去|先前)(?:发布|发表|發表|发|写)?(?:过的|的)?(?:帖子|发帖|貼文|提问|问题)
    | (?:以前|過去|これまで)の(?:投稿|質問)
    """,
    re.VERBOSE,
)


def check(answer: str, given: Given) -> Finding:
    """The first such remark."""
    straight = answer.replace("’", "'")
    text = straight.lower()
    asked = _stems(given.question)
    remarks = [
        *_ALWAYS.finditer(text),
        *(found for found in _UNLESS_ASKED.finditer(text) if not _stems(found.group().split()[-1]) & asked),
    ]
    for found in sorted(remarks, key=re.Match.start):
        # Only the task's own limit is talk; others are advice.
        limit = found.groupdict().get("limit")
        if limit is None or int(limit) == given.words:
            # The lower case of a few letters is longer than they are.
            passage = straight[slice(*found.span())] if len(straight) == len(text) else found.group()
            return Finding("fail", detail=f'talks about its making or the asker\'s posts: "{one_line(passage)}"')
    return PASSED


def _stems(text: str) -> set[str]:
    return {word.removesuffix("s") for word in re.findall(r"\w+", text.casefold())}
