"""English rules for structured memories. They are matched against what `facts.formal` makes of a sentence."""

from __future__ import annotations

import re
from typing import Final

from erstwhile.language.facts import words
from erstwhile.language.structured import PatternRule, Rules

_OFTEN: Final = "(?: (?:now|currently|just|recently|finally|actually|still|already|also|really|so|absolutely|truly|always|officially)){0,3}"
_PROPER: Final = r"(?-i:[A-Z])[\w'’-]{1,24}(?: (?:(?-i:[A-Z])[\w'’-]{1,24}|(?:of|de|la)(?= (?-i:[A-Z])))){0,3}"
# In chat, places lose their capital. What else one can live in, is left out.
_SMALL_PLACE: Final = (
    "(?!fear|peace|hope|denial|harmony|luxury|poverty|silence|chaos|exile|hell|misery|paradise|town|downtown|this|that|there|here|dorms?"
    "|darkness|comfort|style|squalor|isolation|anarchy|constant)[a-z]{4,14}"
)
_NAME: Final = r"(?-i:[A-Z][a-zà-ÿ])[\w'’-]{0,20}(?: (?-i:[A-Z][a-zà-ÿ])[\w'’-]{0,20})?"
_END: Final = r"(?=[,.!?;:]|\s[—–-]\s| (?:and i|but|because|so that|so i|since|when|whenever|although|though|these days|lately)\b|$)"
_THING: Final = rf"(?P<value>[^,.!?;:—–]{{2,60}}?){_END}"
_TASK: Final = (
    r"(?P<value>[^,.!?;:—–]{3,80}?)"
    r"(?=[,.!?;:]|\s[—–-]\s| (?:but|because|so that|so i|and then|and i|before i|when i)\b|$)"
)
_PETS: Final = "dog|cat|puppy|kitten|rabbit|hamster|parrot|horse|turtle"
_KIN: Final = (
    "sister|brother|mother|mom|mum|father|dad|wife|husband|girlfriend|boyfriend|partner|fiancée?|daughter|son|boss|manager|roommate"
    "|flatmate|neighbou?r|colleague|best friend|friend|cousin|aunt|uncle|niece|nephew|grandmother|grandfather|teacher|therapist"
    "|dentist|doctor|landlord"
)
_WORK: Final = (
    "accountant|actor|actress|analyst|architect|artist|baker|barista|bartender|carpenter|chef|cleaner|consultant|cook|dentist|designer"
    "|developer|doctor|driver|electrician|engineer|farmer|firefighter|freelancer|gardener|hairdresser|journalist|lawyer|lecturer|librarian"
    "|mechanic|midwife|musician|nurse|paramedic|pharmacist|photographer|physicist|pilot|plumber|police officer|potter|professor|programmer"
    "|psychologist|researcher|scientist|soldier|student|surgeon|teacher|therapist|translator|tutor|vet|waiter|waitress|welder|writer"
)
# What people speak, and what they speak to machines.
_TONGUES: Final = (
    r"English|Spanish|French|German|Italian|Portuguese|Dutch|Russian|Polish|Ukrainian|Turkish|Arabic|Hebrew|Hindi|Korean|Japanese|Chinese"
    r"|Mandarin|Cantonese|Vietnamese|Thai|Swedish|Norwegian|Danish|Finnish|Greek|Latin|Python|JavaScript|TypeScript|Java|Kotlin|Swift"
    r"|Rust|Golang|Ruby|PHP|Perl|Haskell|Scala|Clojure|Erlang|Elixir|SQL|HTML|CSS|Bash|Fortran|COBOL|Assembly|C\+\+|C\#"
)
_DIETS: Final = "vegan|vegetarian|pescatarian|gluten[- ]free|lactose intolerant"
_DONE: Final = "bought|paid|sent|booked|called|renewed|returned|submitted|finished|cancell?ed|signed|mailed|picked up|cleaned|fixed|ordered"

STRUCTURED: Final = Rules(
    rules=(
        PatternRule(
            "fact",
            "home",
            words(
                rf"\b(?:i|we) (?:used to live|no longer live|lived) in (?P<value>{_PROPER})"
                rf"|\b(?:i|we) don't live in (?P<value2>{_PROPER}) any ?more\b"
            ),
            "{name} no longer lives in {value}.",
            done=True,
        ),
        PatternRule(
            "fact",
            "home",
            words(
                rf"\b(?:i|we)(?:'m|'re|'ve| am| are| have)?{_OFTEN} (?:live|living|based|settled|moved"
                rf"|relocated){_OFTEN}(?: back)? "
                rf"(?:in|to) (?P<value>{_PROPER})|\b(?:i|we){_OFTEN} live in (?P<value2>{_SMALL_PLACE})(?=[,.!;]| now\b|$)"
            ),
            "{name} lives in {value}.",
        ),
        PatternRule(
            "fact",
            "employer",
            words(
                rf"\bi (?:used to work|no longer work) (?:at|for) (?P<value>{_PROPER})"
                rf"|\bi don't work (?:at|for) (?P<value3>{_PROPER}) any ?more\b"
                rf"|\bi(?:'ve| have)?{_OFTEN} (?:quit|left) my job at (?P<value2>{_PROPER})"
            ),
            "{name} no longer works at {value}.",
            done=True,
        ),
        PatternRule(
            "fact",
            "employer",
            words(
                rf"\bi(?:'m|'ve| am| have)?{_OFTEN} (?:work|working|started|started working|got a job) (?:at"
                rf"|for) (?P<value>{_PROPER})"
            ),
            "{name} works at {value}.",
        ),
        PatternRule(
            "fact",
            "job",
            words(
                rf"\bi(?:'m| am)?{_OFTEN} work(?:ing)? as an? (?P<value>[a-z][a-z -]{{2,30}}?)(?=[,.;!]| (?:at|in"
                rf"|for|and|but|now|these)\b|$)"
                rf"|\bi(?:'m| am){_OFTEN} an? (?P<value2>(?:[a-z-]{{3,16}} )?(?:{_WORK}))\b(?! (?:of|who|when|if)\b)"
            ),
            "{name}'s work: {value}.",
        ),
        PatternRule("fact", "name", words(rf"\bmy name(?:'s| is) (?P<value>{_NAME})"), "{name} is called {value}."),
        PatternRule(
            "fact",
            "age",
            words(
                r"\b(?:i(?:'m| am)(?: now)? (?=\d{1,2} years old)|i(?: just| recently)? turned )(?P<value>\d{1,2})\b"
            ),
            "{name} is {value} years old.",
        ),
        PatternRule(
            "fact",
            "birthday",
            words(r"\bmy birthday(?:'s| is) (?:on )?(?:the )?(?P<value>(?=[^,.!?;]{0,20}\d)[^,.!?;]{3,30})"),
            "{name}'s birthday is {value}.",
        ),
        PatternRule(
            "fact",
            "relationship",
            words(
                r"\bi(?:'m| am)(?: now| finally| still)? (?P<value>single|married|engaged|divorced|widowed)\b(?! (?:in|with)\b)"
                r"|\b(?:i|we)(?: just| finally)? got (?P<value2>married|engaged|divorced)\b"
            ),
            "{name} is {value}.",
        ),
        PatternRule(
            "fact",
            "pet",
            words(
                rf"\b(?:my|our) (?P<what>{_PETS})(?:'s name is| is called| is named)? (?P<value>{_NAME})"
                rf"|\b(?:i|we) (?:have|got|adopted) an? (?:\w{{3,12}} )?(?P<what2>{_PETS}) (?:named|called) (?P<value2>{_NAME})"
            ),
            "{name} has a {what} called {value}.",
        ),
        PatternRule(
            "entity",
            "{what}",
            words(rf"\b(?:my|our) (?P<what>{_KIN})(?:'s name is| is called| is named)? (?P<value>{_NAME})"),
            "{value} is {name}'s {what}.",
            entity=True,
        ),
        PatternRule(
            "preference",
            "favourite {what}",
            words(
                rf"\bmy (?:all-time |absolute |new )?fav(?:ou?rite)? (?P<what>(?!thing|part"
                rf"|one)[a-z]{{3,14}}(?: [a-z]{{3,14}})?) (?:is|are) {_THING}"
            ),
            "{name}'s favourite {what}: {value}.",
        ),
        PatternRule(
            "preference",
            "diet",
            words(
                rf"\bi(?:'m| am) (?:no longer|not) (?:an? )?(?P<value>{_DIETS})\b"
                rf"|\bi stopped being (?:an? )?(?P<value2>{_DIETS})\b"
            ),
            "{name} is no longer {value}.",
            done=True,
        ),
        PatternRule(
            "preference",
            "diet",
            words(
                rf"\bi(?:'m| am|'ve gone|'ve become|'ve been| became| went| turned)(?: (?:an?|now|strictly|fully"
                rf"|still)){{0,2}} (?P<value>{_DIETS})\b"
            ),
            "{name} is {value}.",
        ),
        PatternRule(
            "preference",
            "allergy",
            words(
                rf"\bi(?:'m| am)(?: \w{{2,10}}ly)? allergic to {_THING}|\bi have an? (?P<value2>[a-z]{{3,16}}) allergy\b"
            ),
            "{name} is allergic to {value}.",
        ),
        PatternRule(
            "preference",
            "likes",
            words(
                rf"\bi (?:no longer|don't(?: really)?) (?:like|love|enjoy) (?P<value>[^,.!?;:]{{2,60}}?) any ?more\b"
                rf"|\bi (?:no longer (?:like|love|enjoy)|(?:have |'ve )?stopped liking"
                rf"|have gone off) (?P<value2>[^,.!?;:]{{2,60}}?){_END}"
            ),
            "{name} no longer likes {value}.",
            done=True,
        ),
        PatternRule(
            "preference",
            "dislikes",
            words(
                rf"\bi{_OFTEN} (?:hate|dislike|detest|can't stand|don't(?: really)? (?:like"
                rf"|enjoy)) (?![^,.!?;:]{{1,60}} any ?more){_THING}"
            ),
            "{name} dislikes {value}.",
        ),
        PatternRule(
            "preference",
            "prefers",
            words(
                r"\bi(?: (?:still|really|much|strongly|always|definitely))? prefer "
                r"(?P<value>[^,.!?;:—–]{2,40} (?:over|to|rather than) [^,.!?;:—–]{2,40}?)(?=[,.!?;:]|$)"
            ),
            "{name} prefers {value}.",
        ),
        PatternRule(
            "fact",
            "skill",
            words(
                rf"\bi(?:'m| am)?(?: (?:also|already|fluently)){{0,2}} "
                rf"(?:know|speak|code in|program in|write|fluent in|good at|great at|skilled in) "
                rf"(?P<value>(?:{_TONGUES})(?:(?:, | and |, and )(?:{_TONGUES})){{0,4}})(?=[,.!?;:]| (?:fluently|well|too)\b|$)"
                rf"|\bi(?:'m| am)(?: (?:really|very|pretty|quite))? (?:good|great) at {_THING.replace('value', 'value2')}"
            ),
            "{name} is good at {value}.",
        ),
        PatternRule(
            "preference",
            "likes",
            words(
                rf"\bi{_OFTEN} (?:like|love|enjoy|adore|prefer(?![^,.!?;:]{{2,40}} (?:over|to|rather than) )) {_THING}"
            ),
            "{name} likes {value}.",
        ),
        PatternRule(
            "decision",
            "",
            words(
                r"\bi(?:'ve| have)?(?: \w{3,8}ly)? (?:decided|agreed|chose) (?P<value>(?:to|that|on|not to"
                r"|against) [^.!?;]{3,80})"
            ),
            "{name} decided {value}.",
        ),
        PatternRule(
            "decision",
            "",
            words(
                r"\bwe(?:'ve| have)?(?: \w{3,8}ly)? (?:decided|agreed|chose) (?P<value>(?:to|that|on|not to"
                r"|against) [^.!?;]{3,80})"
            ),
            "{name}: we decided {value}.",
        ),
        PatternRule(
            "todo",
            "",
            words(
                rf"\b(?:i(?:'ve| have)? (?:finally|already) (?=(?:{_DONE})\b)|i(?:'ve| have)? (?:finished"
                rf"|completed) |i'm done with |^done: )"
                rf"(?P<value>[^,.!?;:—–]{{3,80}}?)(?=[,.!?;]|$)"
            ),
            "{name} has done this: {value}.",
            done=True,
        ),
        PatternRule(
            "todo",
            "",
            words(
                rf"(?:\b(?:i|we)(?:'ve| have)?{_OFTEN} (?:need to|have to|got to|gotta|must) |\bremind me to "
                rf"|\b(?:don't|do not)(?: let me)? forget to "
                rf"|^to-?do ?: ){_TASK}"
            ),
            "{name} has to {value}.",
            request=True,
        ),
    ),
    useless=re.compile(
        r"""(?ix) ^ (?:
            it | that | this | those | these | you | your | u | how | what | when | where | who | why | the \s (?:way|idea|fact|part|one)
            | him | her | them | his | their | my | our | being | hearing | seeing | so | not | to \s (?:think|believe|say|know|see|be)
            | go | run | say | admit | agree | be | see | think | wait | laugh | sleep | eat | know | ask | tell | talk | leave | stop
            | get \s (?:some|back|going|up|used|it|this) | deal | find \s out | figure | make \s (?:sure|it) | remember | keep
            | do \s (?:it|that|this) | try | look | come | take \s (?:it|a) | start | give | let | show | use | hear | learn | feel | live
            | google | slack | team | mon | tues | wednes | thurs | fri | satur | sun
            | january | february | march | april | june | july | august | september | october | november | december
        ) (?: \b | day )"""
    ),
    maybe=words(
        r"\bif (?:i|we|you|he|she|they|it)\b|\b(?:would|wish|might|maybe|perhaps|could|pretend|imagine|supposed"
        r"|suppose|kidding)\b|\bdon't (?:need|have) to\b"
    ),
    ending=re.compile(
        r"(?i)(?: (?:too|now|a lot|so much|very much|as well|again|these days|any ?more|though|tho|lol|haha|today"
        r"|tomorrow|tonight|please|either))+$"
    ),
    today=(("today", 0), ("tonight", 0), ("tomorrow", 1)),
    doing="""
        buy bought get got do did done make made finish finished call called send sent pay paid book booked pick
        picked up take took taken bring brought fix fixed clean cleaned write wrote written submit submitted return
        returned renew renewed cancel cancelled have has need must should remember forget todo task already finally
        just go went
    """,
    by_others={
        "i": "they",
        "i'm": "they are",
        "me": "them",
        "my": "their",
        "mine": "theirs",
        "myself": "themselves",
        "we": "they",
        "us": "them",
        "our": "their",
        "ours": "theirs",
    },
)
