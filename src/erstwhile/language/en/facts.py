"""English: what speaks against a statement, and how people ask, agree and confirm. The rest is in `evidence`."""

from __future__ import annotations

import re
from typing import Final

from erstwhile.language.en.evidence import EVIDENCE, PRIMARY
from erstwhile.language.facts import Signals, words

_APART: Final = {
    "im": "i'm",
    "ive": "i've",
    "dont": "don't",
    "didnt": "didn't",
    "doesnt": "doesn't",
    "cant": "can't",
    "wont": "won't",
    "isnt": "isn't",
    "lets": "let's",
    "thats": "that's",
    "wanna": "want to",
    "u": "you",
    "ur": "your",
}
_WRITTEN_TOGETHER: Final = re.compile(rf"\b(?:{'|'.join(_APART)})\b", re.IGNORECASE)


def formal(text: str) -> str:
    """Chat spelling as the patterns below expect it: im → i'm, dont → don't."""
    return _WRITTEN_TOGETHER.sub(lambda match: _APART[match[0].lower()], text)


FACTS: Final = Signals(
    filler=words(r"""
        \b(?:ok|okay|kk?|lol|lmao|rofl|(?:ha){2,9}h?|(?:he){2,9}|thanks?|thank you|thx|ty|np|no (?:problem|worries|way
            |idea)|sure|yes|yeah|yep|yup|nope?|nah|cool|nice|great|awesome|amazing|perfect|wow|omg|hi|hey|hello|hiya
            |yo|good (?:morning|night|evening|luck|job|idea)|morning|bye|goodbye|see (?:you|ya)|later|soon|tomorrow
            |tonight|then|ttyl|brb|gn|congrats|congratulations|exactly|true|right|same|agreed?|got it|i (?:see|know
            |agree|understand|guess|think so)|of course|my pleasure|you're welcome|welcome|take care|sounds? (?:good
            |great|fun|like a plan)|good to (?:see|hear from) you|nice to (?:see|meet) you|how are you|what's up|sup
            |please|too|(?:so|very|that) much|a lot|there|everyone|guys|man|dude|bro|that's|that|it's|it|is|was|so
            |really|such|an?|be|to hear|happy|glad|proud|sorry|excited|i'm|i am|good|fun|for|of|the|your|help|me|oh|ah
            |aw+|hm+|um+|well|and|but|you|u|fine|interesting|no|idk|nvm|lmk|can't wait|talk|again|sweet|yay|ugh|to|do
            |one|time|today|day|have|just|what|inspiring|impressive|beautiful|lovely|wonderful|fantastic|incredible
            |love|back|here|now|all|im|let me know|works for me|see|feel free|anytime|how can i (?:help|assist)|looks?
            |sounds?|like|enjoy|keep it up|we|did|my|friend|gonna|up|or|if|as|this|are|i|how|why|when|where|who)\b
    """),
    opening=words(r"""
        ^(?:(?:(?:hey|hi|hello|thanks|thank you|thank you very much|wow|yeah|yep|yes|nah|no|ok|okay|sure|right|oh
            |congrats|perfect|great|cool|nice|awesome|good|alright|lol|same here|check (?:it|this) out|in the meantime
            |good news|guess what|since you mentioned \w{3,14}|me too|true|exactly|not much
            |nothing much)(?: (?-i:[A-Z])\w{1,14}| so much| a lot| man| dude| everyone| guys| all)?[,!.:;—-]{1,3} ?)
            |(?:oh|wow|yeah|yep|hey|well,|so,|haha\w{0,9}|lol|btw|by the way|anyways?|actually|honestly|also|and|but
            |umm?|hmm|omg|aww?|okay so|ok so|okay|ok|yes|so(?= (?:i|we|my)\b))[,]? ){1,4}
    """),
    question=words(r"""
        \?\W{0,3}$
        |^(?:what|who|whom|whose|where|when|why|how|which|is|are|am|was|were|do|does|did|can|could|would|will|should
            |shall|may|have|has|had|isn't|aren't|don't|doesn't|didn't|won't|wouldn't|couldn't|anyone|any (?:idea
            |chance|news))\b(?!\W{1,2}(?:i|we) did\b)(?=.{0,60}\b(?:you|i|we|they|he|she|it|there|the|that|this|anyone
            |your|my|about|is|are|do|does)\b)
        |^[a-z]{2,12},? (?:what|who|where|when|why|how)(?:'s|'re|s| is| are| was| were| do| does| did| much| many| can
            | should)\b|^who(?:se|m)?\b|^(?:hey )?(?:anyone|does anyone|do you|can you|could you|can we|can i|do i)\b
                |\bor$
    """),
    unreal=words(r"""
        \bif (?:i|we|you(?! must know)|only|he|she|they|it)\b(?! remember)
        |\b(?:i|we) (?:wish|would|wouldn't|could have|should have|might|may)\b|\bwould have\b
        |\bi'd (?!been|just|never|already|love to|like to|rather)|\bi hope\b
        |\b(?:suppose|imagine|pretend|hypothetically)\b|\bmaybe i\b|^wish i\b|\bas if\b
        |^(?:please|pls|kindly|you should|you could|you can|you might|you'll|try|make sure|remember to|consider
            |don't forget|feel free|write|give me|tell me|show me|explain|help me|summari[sz]e|translate|fix|rewrite
            |generate|list|create|act as|let me know)\b
        |\bi (?:want|need|would like|'d like) you to\b|\bcan you\b|\bcould you\b|\bjust kidding\b|\bi'm kidding\b
        |\bjk\b|\bhelp me (?:with|to|write|fix|understand)\b
    """),
    vague=words(r"""
        \bcongrat|\bhappy (?:birthday|anniversary|new year)\b
        |\b(?:i|we)(?: (?:really|just|also|totally|absolutely|so))* (?:love|like|liked|loved|hate|enjoy|prefer|got|get
            |saw|did|made)(?: (?:it|that|this|those|these|you|your|how|what|the way|the idea|hearing|seeing you)\b
            |\W{0,3}$)
        |\b(?:i|we)(?:'ll| will) (?:definitely |probably |also |surely )?(?:be (?:sure|right)|be back|be there|be fine
            |be ok|let you|try|see|think about|check (?:it|that)|keep (?:you|that|this|it)|show you|take your|stick
            |do (?:it|that|my)|say|tell you|take (?:it|that|a look)|look|get back|give (?:it|that)|go now|go to (?:bed
            |sleep)|ask|never forget|have to|need)\b
        |\b(?:gotta|got to|have to) (?:go|run)\b|\bgoing to (?:bed|sleep)\b|\bgonna (?:sleep|go now|crash)\b
        |\bi(?:'m| am) (?:a (?:bit|little|mess)|into it)\b
        |\b(?:had|got) (?:no idea|it|a (?:feeling|question|blast|great time|good time))\b|\bread (?:it|that|this)\b
        |\b(?:took|bought|got|made|found|painted|saw|did|had|tried|ate|read|wrote|fixed) (?:it|that|them|those
            |this)\b(?! for \d| trip| hike| pic)
        |\bi'm from the\b|\b(?:grateful|thankful) (?:for|to|that)\b|^here(?:'s| is| are)\b
        |^(?:glad|happy) (?:you|to|i)\b|\bi am an? (?:ai|language model|assistant)\b
        |\b(?:i|we)(?:'ve| have)? (?:just )?(?:saw|met|held|called|told|asked|sent|showed|kept|opened|counted|picked|heard
            |had (?:lunch|dinner|coffee) with|been \w{3,12}ing) (?:off |up |out )?(?:him|her|them|it|that|this|you)\b
        |\b(?:my|our) \w{3,12} (?:will )?(?:think|thinks|thought)\b|^(?:i think (?!i\b|we\b)|i reckon\b|i suspect\b
            |i bet\b|apparently\b)|\bstop (?:telling|saying)\b
        |^[a-z]{3,14}ing\b[^.,]{0,60}? (?:is|are|was|helps?|sounds?|looks?|makes?|must|can|could|should|really|feels?
            |brings?|keeps?|boosts?|means?|takes?|isn't|will)\b
        |^let's (?:keep|make (?!it\b)|take|get|catch|fight|appreciate|all)\b|\b(?:reminds?|helps|takes?|makes
            |shows) us\b
        |\bmeans a lot\b|\blife's\b|\bkeep (?:pushing|going|on going|chasing|working|believing|at it)\b
            |\bgonna keep\b|\bnever quit\b
        |\b(?:is|are|was|were) (?:\w{2,10} )?(?:perfect|awesome|amazing|a great way|the best|special to|important)\b
        |\bi (?:can see|was going to)\b|\bi(?:'m| am) (?:not )?(?:crying|staring|sitting|asking)\b
        |\bi'm an? (?:ai|language model|assistant)\b|\btried (?:it|that|this|your|the (?:code|fix))\b
    """),
    formal=formal,
    primary=PRIMARY,
    evidence=EVIDENCE,
    settled=words(r"""
        \bi(?:'ve| have) (?:just |now )?(?:booked|scheduled|reserved|ordered|cancelled|canceled|saved|sent
            |set (?:up )?an? (?:reminder|alarm)|added .{1,60} to your (?:calendar|list|cart|reminders))\b
        |\byour (?:\w{3,12} )?(?:reservation|booking|order|appointment|flight|ticket|table|refund) (?:is|has been
            |was) (?:\w{3,8} )?(?:confirmed|booked|scheduled|placed|cancelled|canceled|reserved|processed|set)
        |^(?:noted|recorded|updated|changed|corrected|moved|booked|confirmed|cancell?ed|rescheduled
            |saved)\b[^:,.]{0,20}[:,.] ?\w
        |^(?:so|all right|understood|okay|ok|right|got it)[,:]? (?!you\b|we\b|i\b)[^.?]{0,60}(?:\b\d{1,2}:\d\d\b
            |day(?:s| \d| the \d))|^[a-z ]{3,30}: [^.?]{0,40}\d+ ?(?:cm|kg|mg|km|won|euros?)\b|\bhas promised\b
            |day,? \d{1,2} [a-z]{3,9}[^.?]{0,20} \d{1,2}:\d\d
        |\bi(?:'ll| will) remind you\b|\b(?:confirmation|booking|order|reference) (?:number|code|id)\b
    """),
    confirmation=words(
        r"^(?:noted|recorded|updated|changed|corrected|booked|confirmed|cancell?ed|saved|done)[.!]{1,3}$"
    ),
    before_question=words(r"""
        ^((?!(?:when|if|since|because|after|before|as|while|once|so|what|how|who|where|why|do|did|are|is|can
            |have)\b)[^?]{10,400}?)[,;:.—-]{1,3} ?((?:and |but |so |then )?(?:what|how|who|where|when|why|which|can
            |could|do|does|did|is|are|would|should|will|any|have|right)\b[^,?]{0,200}\?\W*)$
    """),
    fragment=words(r"""
        ^(?!.{0,200}\b(?:i|we|you|he|she|they|it|is|are|was|were|am|has|have|had|will|would|can|could|must|should|do
            |does|did|not though
            |i'm|we're|it's|he's|she's|that's|there's|there|who|goes|went|said|says|wants?|made|signed|came|comes
                |moved|changes?|drops?|costs?|arrives?|works?|starts?|leaves?|decision)\b).{1,200}$
        |^not [a-z ]{3,30}(?: though)?$|^(?:it is|it's) the \d{1,2}(?:st|nd|rd|th)$
    """),
    asking=words(r"""
        \b(?:what(?:'s| is| was| are| time| date| day| price)|when(?:'s| is| are| was| do| does| did| will)
            |how (?:much|many|long|deep|big|old|far|tall|high|wide|often)|which|where(?:'s| is| are| do| does| did))\b
    """),
    occasion=words(r"\bbirthdays?\b|\bbdays?\b"),
    agreement=words(r"""
        ^(?:ok(?:ay)?|yes+|yep|yeah|yup|sure|agreed|deal|perfect|great|done|works for me|fine by me|fine|sounds good
            |in|i'm in|count me in|i(?:'ll| will| can) bring|[^.?!]{1,20} but (?:ok|yes))\b
    """),
    addressed=words(r"\b(?:you(?:'re|'ll|'ve|'d|r|rself|rs)?|ourselves)\b"),
    dependent=words(
        r"^(?!(?:that|this)(?:'s| is| was) my )(?:she|he|they|it|that|this|those|these|their|his|her|its)(?:'|\b)"
    ),
)
