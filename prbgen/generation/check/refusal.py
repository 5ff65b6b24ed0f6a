"""Does the answer refuse or dodge the question?"""

import re

from prbgen.generation.check.base import PASSED, Finding, Given
from prbgen.text import count_words, one_line

# A refusal opens an answer; further down it is likelier to be advice on what to say.
_OPENING = 400
# An answer with so many words besides is one, even if it says what it cannot do.
_REST = 20
# Characters: enough for both.
_READ = 8000
_QUOTED = re.compile(r'"[^"\n]{1,300}"|“[^”\n]{1,300}”|„[^“”\n]{1,300}[“”]|«[^»\n]{1,300}»|「[^」\n]{1,300}」')
_START = r"(?:\A|(?<=[.!?…。！？\n]))[ \t\"'*_>]{0,8}"
_NOT_ABLE = (
    r"(?:I|we)(?:'m|\ am|'re|\ are)?\ (?:really\ |simply\ |just\ |unfortunately,?\ |also\ )?"
    r"(?:can't|cannot|can\ not|could\ not|couldn't|won't|will\ not|(?:won't\ be|will\ not\ be|not|un)\ ?able\ to"
    r"|(?:must|have\ to|will\ have\ to|need\ to)\ (?:respectfully\ )?(?:decline|refuse)(?:\ to)?|decline\ to"
    r"|not\ (?:comfortable|permitted|allowed|qualified|in\ a\ position)\ (?:to|with)|not\ going\ to)"
)
_SORRY = (
    r"(?:(?:I'm|I\ am|we're|so|very|really|terribly)\ )*(?:sorry|afraid|unfortunately|regrettably|my\ apologies"
    r"|(?:I\ )?(?:do\ )?(?:apologi[sz]e|regret))(?:\ (?:to\ say|for\ (?:any|the)\ \w+))?(?:[,:;.]|\ -|\ —)?"
    r"\ (?:(?:but|that|and|to\ say)\ )*"
)
_THAT = (
    r"(?:\ (?:you|with|to|on|about|in|any|further|here))*\ "
    r"(?:(?:that|this|it)(?=\s*(?:[.!,;]|$|\ (?:for|as|because|due|at|but)\b))"
    r"|(?:that|this|the|your|such|these|those)\ (?:\w+\ ){0,2}"
    r"(?:requests?|questions?|topics?|quer(?:y|ies)|matter|inquiry)\b)"
)
_ACTS = (
    r"(?:help|assist|answer|respond|comply|do|discuss|engage|provide|give|offer|fulfil|fulfill|comment|advise|speak|address"
    r"|generate|write|create|support|share|complete)"
)
# They refuse, whatever comes after them.
_REFUSES = re.compile(
    rf"""
    {_START}(?:
      (?:{_SORRY})?{_NOT_ABLE}\ {_ACTS}{_THAT}
    | {_SORRY}{_NOT_ABLE}\ (?:help|assist|comply|answer)(?:\ you)?(?=\s*(?:[.!]|$))
    | (?:{_SORRY})?(?:I|we)\ (?:must|have\ to|will\ have\ to)\ (?:respectfully\ )?(?:decline|refuse)
      (?=\s*(?:[.!]|$)|\ to\ {_ACTS}|\ (?:this|that|your)\b)
    | (?:das\ tut\ mir|es\ tut\ mir|tut\ mir|leider|entschuldigung|sorry)\b[^.!?\n]{{0,60}}\b(?:kann|darf|könnte)\ ich
      [^.!?\n]{{0,60}}\bnicht\ (?:\w+\ )?(?:(?:weiter)?helfen|beantworten|antworten|nachkommen|unterstützen)
    | (?:dabei|damit|hierbei|bei\ dieser\ (?:frage|anfrage))\ (?:kann|darf)\ ich\ (?:\w+\ ){{0,2}}
      nicht\ (?:weiter)?helfen
    | (?:je\ suis\ (?:vraiment\ )?(?:désolée?|navrée?)|désolée?|malheureusement|je\ regrette)\b[^.!?\n]{{0,30}}
      \bje\ ne\ (?:peux|puis|suis)\ [^.!?\n]{{0,30}}(?:aider|répondre|assister|fournir|accéder)
    | (?:lo\ siento|lamento|lamentablemente|disculpa|perdón)\b[^.!?\n]{{0,30}}
      \bno\ (?:te\ |le\ |les\ )?puedo\ (?:ayudar|responder|proporcionar|contestar|asistir|hacer\ eso)
    | (?:mi\ dispiace|purtroppo)\b[^.!?\n]{{0,30}}\bnon\ (?:ti\ |vi\ |le\ )?posso\ (?:\w+\ )?(?:aiutar|rispond|fornir)
    | (?:sinto\ muito|desculpe|lamento|infelizmente)\b[^.!?\n]{{0,30}}
      \bnão\ (?:\w+\ )?posso\ (?:\w+\ )?(?:ajud|respond|fornec)
    | (?:sorry|het\ spijt\ me|helaas)\b[^.!?\n]{{0,20}}
      \bkan\ ik\ [^.!?\n]{{0,40}}\bniet\ (?:\w+\ )?(?:helpen|beantwoorden)
    | (?:извини|простите|прости|к\ сожалению|сожалею)[^.!?\n]{{0,40}}\bне\ (?:могу|смогу|можем)
      [^.!?\n]{{0,30}}(?:помочь|ответить|предоставить|выполнить|обсуждать)
    | (?:很|非常|十分)?(?:抱歉|对不起|對不起|遗憾|遺憾|不好意思)[^。！？\n]{{0,20}}
      (?:无法|無法|不能|没办法|没法|沒辦法)
      [^。！？\n]{{0,15}}(?:帮|幫|回答|提供|协助|協助|满足|讨论|討論)
    | (?:(?:大変|誠に)?申し訳|すみません|ごめん)[^。！？\n]{{0,40}}
      (?:お答え|お手伝い|回答|対応|お応え|提供)[^。！？\n]{{0,8}}
      (?:できません|できかねます|することはできません)
    | (?:죄송|미안)[^.!?\n]{{0,50}}(?:도와|도움|답변|제공|대답)[^.!?\n]{{0,12}}(?:수\ 없|어렵|못)
    | (?:عذرا|عذرًا|آسف|أعتذر|للأسف)[^.!?؟\n]{{0,40}}(?:لا\ أستطيع|لا\ يمكنني)[^.!?؟\n]{{0,20}}(?:مساعد|الإجابة|تقديم)
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
# They dodge, if little else is said. In lower case, which is faster than to ignore it.
_DODGES = re.compile(
    rf"""
    \b(?:
      as\ an?\ (?:ai|artificial|(?:large\ )?language\ model|assistant|bot)\b
    | (?:{_NOT_ABLE.lower()})\ (?:help\b(?!\ (?:but|\w+ing)\b)|(?:assist|answer|respond|comply|discuss|provide|give
      |offer|comment|advise|recommend|suggest|predict|diagnose|judge)\b(?![^.!?\n]{{0,60}}\b(?:enough|better)\b))
    | i(?:'d|\ would)\ (?:rather|prefer)\ not\b
    | (?:not|isn't|is\ not)\ something\ (?:that\ )?(?:i|we)\b
    | (?:i'm|i\ am|we're)\ going\ to\ have\ to\ (?:pass|decline|refuse)\b
    | my\ (?:guidelines|polic(?:y|ies)|rules|programming|instructions)\ (?:do\ not|don't|does\ not|doesn't|prevents?
      |prohibits?|forbids?)\b
    | (?:there\ is|there's|that\ is|this\ is)\ not\ enough\ (?:information|context|detail)
    | i\ (?:don't|do\ not)\ (?:really\ )?(?:have\ (?:an?|any|the|enough|personal|access|feelings|opinions)\b
      |know(?=\s*(?:[.,;!]|$)|\ (?:the\ answer|enough|much|anything|about|that|this)\b))
    | i'm\ (?:really\ )?not\ sure\b
    | i\ have\ no\ (?:idea|opinion)
    | (?:could|can|would)\ you\ (?:please\ )?(?:clarify|provide|tell\ me|share|give\ me|specify|elaborate|explain)
    | i(?:'d|\ would)?\ (?:will\ )?need\ (?:some\ |a\ (?:bit|little)\ )?more\ (?:information|context|details?)
    | (?:ich\ kann|kann\ ich)\ (?:\w+\ ){{0,4}}nicht\ (?:\w+\ )?(?:(?:weiter)?helfen|beantworten)
    | je\ ne\ (?:peux\ pas|suis\ pas\ en\ mesure\ de)\ (?:vous\ |t'|te\ )?(?:aider|répondre)
    | no\ (?:te\ |le\ |les\ )?puedo\ (?:ayudar|responder|contestar)
    | als\ (?:ki|künstliche\ intelligenz|sprachmodell)\b
    | en\ tant\ qu['’](?:ia|intelligence)\b
    | como\ (?:ia|inteligencia\ artificial|modelo\ de\ lenguaje)\b
    )
    | 作为(?:一个|一名)?(?:ai|人工智能|语言模型) | (?:无法|無法|不能|没法)(?:回答|帮助|帮你|幫)
    """,
    re.VERBOSE,
)
# They come with a refusal and say nothing on the question.
_POLITE = re.compile(
    r"\b(?:sorry|apologi[sz]e|understand (?:your|how|that)|I hope|good luck|feel free|let me know|thank(?:s| you)"
    r"|happy to|(?:consult|see|speak|talk|contact|reach out|ask|turn|recommend|refer|visit)\b[^.!?\n]{0,40}"
    r"\b(?:doctors?|lawyers?|professionals?|experts?|advis[eo]rs?|therapists?|specialists?|physicians?|attorneys?))\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")
_GOES_ON = re.compile(r"[^.!?\n]{0,80}[,;] but\b")
# What comes after it may be the answer.
_BUT = re.compile(r"[,;:] (?:but|though|yet|so)\b")


def check(answer: str, given: Given) -> Finding:
    """A refusal at the beginning, or an answer that says nothing but what its writer cannot say or would need to know.

    What it quotes does not count, nor does an answer that names a limit and then goes on to help.
    """
    text = _QUOTED.sub("x", answer[:_READ].replace("’", "'"))
    refusal = _REFUSES.search(text, 0, _OPENING)
    if refusal and not _GOES_ON.match(text, refusal.end()):
        return _failed(refusal.group())
    if not _DODGES.search(text.lower()):
        return PASSED
    parts = [part for sentence in _SENTENCE.findall(text) for part in _BUT.split(sentence)]
    dodges = [part for part in parts if _DODGES.search(part.lower())]
    rest = sum(count_words(part) for part in parts if part not in dodges and not _POLITE.search(part))
    return _failed(dodges[0]) if dodges and rest < _REST else PASSED


def _failed(passage: str) -> Finding:
    return Finding("fail", detail=f'refuses or dodges the question: "{one_line(passage, 120)}"')
