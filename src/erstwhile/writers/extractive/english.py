"""English."""

from __future__ import annotations

import re
from typing import Final

from erstwhile.writers.extractive.signals import NUMBERS, Signals, exact, unfolded, words

_SURE: Final = unfolded("""
    (?:(?:really|absolutely|totally|just|also|still|always|actually|definitely|never|both|kinda|finally|recently|even
        |currently|now|already) ){0,2}
""")
_WE: Final = r"(?:i|we|my (?:wife|husband|partner|family) and i)"
_PEOPLE: Final = unfolded("""
    mom|mum|mother|dad|father|parents|sister|brother|wife|husband|partner|girlfriend|boyfriend|fiancée?|son|daughter
    |kids?|children|baby|grandma|grandpa|grandmother|grandfather|aunt|uncle|cousin|niece|nephew|boss|manager|roommate
    |flatmate|best friend|friend|neighbou?r|teacher|therapist|landlord|dog|cat|puppy|kitten|hamster|rabbit
""")
_DAYS: Final = "mon|tues|wednes|thurs|fri|satur|sun"
_MONTHS: Final = "january|february|march|april|june|july|august|september|october|november|december"
_WHEN: Final = unfolded(rf"""
    \b(?:yesterday|today|tonight|tomorrow|(?:last|next|this) (?:week|weekend|month|year|night|summer|winter|spring
        |fall|(?:{_DAYS})day)|on (?:{_DAYS})day|(?:{_MONTHS}|in may)\b|(?:\d{{1,2}}|a|two|three|few|couple of) (?:day
        |week|month|year)s? ago|recently|lately|the other day|a while ago|in \d{{1,2}} (?:days|weeks|months|years)
        |since (?:19|20)\d\d|in (?:19|20)\d\d)\b
""")
_STATE: Final = unfolded(rf"""
    \bmy name(?:'s| is)\b|\b(?:you can )?call me [a-z]
    |\bi(?:'m| am) (?:now |currently |originally |actually ){{0,2}}(?:an? (?!bit|little|lot|fan\b|mess)[a-z]
        |from [a-z]|allergic|vegan|vegetarian|pregnant|diabetic|married|divorced|engaged|single\b|retired|based in
        |\d\d\b|(?:learning|studying|working|training|living|teaching|volunteering|majoring|raising|expecting)\b)
    |\b{_WE} (?:now |currently |still |also )?(?:live|lives|work|worked|study|studied|teach|grew up|speak|own
        |run a)\b(?! (?:well|out|fine|hard))
    |\bi was (?:born|raised|diagnosed|hired|fired|promoted|laid off|accepted|diagnosed)\b
    |\b{_WE}(?:'ve| have) been [a-z]{{3,14}}ing\b|\b{_WE}(?:'ve| have) been (?:married|together|friends|sober|vegan)\b
    |\b(?:we're|we are) (?:both |all )?(?:allergic|vegan|vegetarian|married|engaged|expecting|based in|from [a-z])
    |\b(?:i'm|we're|i am|we are) using [a-z]|\b{_WE} {_SURE}use [a-z]
    |\bmy (?:birthday|job|address|phone number|number|email|major|hometown|wedding|anniversary|surgery
        |blood type)(?:'s| is| was| will be)\b
""")
_PREFERENCE: Final = unfolded(rf"""
    \b{_WE} {_SURE}(?:don't |do not |didn't )?{_SURE}(?:like|love|hate|prefer|enjoy|adore|dislike|can't stand
        |cannot stand|can't eat|don't eat|don't drink|collect)\b
    |\bi(?:'m| am) (?:\w{{2,10}} )?(?:into|keen on|afraid of|scared of|obsessed with|a (?:big |huge |massive )?fan of
        |passionate about)\b
    |\bmy (?:\w{{3,12}} )?favou?rite\b|\bmy (?:hobby|hobbies|passion|dream|goal|plan)(?: job)? (?:is|are|was|has)\b
""")
_PLAN: Final = unfolded(rf"""
    \b(?:i'm|we're|i am|we are) (?:also |still |probably |thinking about |thinking of |finally ){{0,2}}(?:going (?:to\b
        |on a|camping|hiking|back)|gonna|planning|moving|getting (?:a|an|married|my)|flying|starting (?!to (?:realize
        |realise|think|feel|see))|leaving|considering|saving|visiting|quitting|adopting|applying|building|expecting
        |looking (?:for|into)|hoping to|travel)
    |\b(?:i'm|we're) (?:really )?hoping to\b|^(?:been|i've been) (?:busy )?[a-z]{{3,14}}ing\b
    |\b{_WE} (?:usually|often|regularly|normally) [a-z]{{3}}|^gonna [a-z]{{3}}|\bi promise\b|\bi plan to\b
    |\bi(?:'ve| have) decided\b|\bi decided\b|\b(?:i'm|we're) thinking (?:of|about) \w{{3,12}}ing\b
""")
_STRONG_EVENT: Final = unfolded("""
    moved|went to (?:an?|the|my|see) |organi[sz]ed|held|hosted|bought|sold|adopted|graduated|quit|resigned|retired
    |signed up|enrolled|booked|reserved|joined|won|lost|visited|attended|volunteered|broke|hurt|injured|applied
    |interviewed|started|launched|passed|failed|married
    |got (?:married|engaged|hired|fired|promoted|accepted|divorced|back from|into|an? |the job|my |two |rid)
    |had (?:surgery|a baby|an accident|twins)|gave birth|gave up|met (?!up with you)|painted|ran a|hiked|travell?ed
    |flew|drove to|climbed|published|performed|competed|donated|inherited|rented|hired|ordered|cancelled|canceled
    |switched|changed|named|celebrated
""")
_WEAK_EVENT: Final = unfolded("""
    went|got|made|took|saw|had|found|gave|read|wrote|finished|called|ate|cooked|watched|played|learned|learnt|came
    |left|spent|received|ran|did|built|fixed|helped|talked to|planted|baked|sent|paid|picked|chose|set up|camped|swam
    |cycled|tried|scored|hit|beat|snapped|began|taught|rode|kept|stayed|caught|grew|sang|threw|drank|drew|dyed
    |checked out|worked|ended up
    |(?!want|need|lov|lik|agre|hop|guess|notic|wonder|ask|seem|us|appreciat|realiz|realis|mention|miss)[a-z]{3,10}ed
""")
_DECISION: Final = unfolded(rf"""
    \bwe(?:'ve| have)? (?:\w{{4,7}} )?(?:decided|agreed|settled on|chose)\b|\b(?:it's|that's) (?:decided|settled)\b
    |\blet's (?:meet|go|do|plan|make it|say|have|book)\b[^?]{{0,60}}(?:{_WHEN}|\bat \d|\bat the\b)
    |\bthe (?:meeting|wedding|party|flight|appointment|exam|tournament|match|class|deadline|interview|surgery|concert
        |release|launch|demo|trip|funeral)(?:'s| is| was| will be| got)\b
    |\b(?:tournament|meeting|wedding|party|flight|exam|appointment|interview|deadline|concert|match|game)(?:'s| is
        | was) (?:on|at|in|next|moved|cancell?ed|tomorrow|tonight)\b
    |\bdeal,|\b(?:release|launch|deadline|meeting|flight|appointment) (?:moved|is|was|moves) (?:to|on|at)\b
""")
_CHANGE: Final = unfolded(rf"""
    \bno longer\b|\b(?:don't|doesn't|not|can't) [^.?!]{{2,50}} any ?more\b|\b{_WE} used to\b|\bgave up\b
    |\bstopped \w{{3,12}}ing\b|\bfor the first time\b|\bmy first\b|\bswitched (?:from|to)\b
    |\bchanged my (?:mind|name|job|number)\b
""")
_KIN: Final = unfolded(rf"""
    \b(?:my|our) (?:\w{{3,10}} ){{0,2}}(?:{_PEOPLE})s?(?: (?!go\b)[a-z]{{2,12}})?(?:'s (?!been\b)| is| are| were| have
        | was| has| had| works| lives| moved| got| will| died| passed| plays| loves| likes| hates| wants| love| like
        | go| need| live| work| just| started| bought| called| named| came| went| turned| turns| broke| had| and i)\b
    |(?-i:[A-Z])[a-z]{{2,12}}, (?:my|our) (?:\w{{3,10}} )?(?:{_PEOPLE})\b|\bnames? (?:is|are) (?-i:[A-Z])
    |\b(?:named|called) (?:him|her|it|them) [a-z]
    |\b(?:dog|cat|puppy|kitten|son|daughter|baby|sister|brother|wife|husband)(?: (?:named
        |called))? (?-i:[A-Z])[a-z]{{2}}
    |\b{_WE}(?:'ve got| have| have got) (?:an?|one|two|three|four|five|\d|no|twin|older
        |younger) (?:\w{{3,10}} )?(?:{_PEOPLE})s?\b
""")

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


SIGNALS: Final = Signals(
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
    """),
    unreal=words(r"""
        \bif (?:i|we|you|only|he|she|they|it)\b(?! remember)
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
        |\bi'm an? (?:ai|language model|assistant)\b|\btried (?:it|that|this|your|the (?:code|fix))\b
    """),
    primary=(
        (4, words(_STATE)),
        (3, words(_PREFERENCE)),
        (3, words(_PLAN)),
        (2, words(rf"\b{_WE}(?:'ll| will) (?:be |probably |definitely |finally |also )?[a-z]{{3}}")),
        (4, words(_DECISION)),
        (4, words(_CHANGE)),
        (3, words(_KIN)),
        (3, words(rf"(?:\b{_WE}(?:'ve| have|'d)? {_SURE}|^(?:just |finally |recently )?)(?:{_STRONG_EVENT})\b(?!')")),
        (2, words(rf"(?:\b{_WE}(?:'ve| have|'d)? {_SURE}|^(?:just |finally |recently )?)(?:{_WEAK_EVENT})\b")),
        (
            3,
            words(rf"""
                \b{_WE}(?:'ve| have)? (?:just|finally) (?!got|had|did|saw|made|took|read|called
                    |tried)(?:{_WEAK_EVENT})\b
            """),
        ),
        (
            2,
            words(rf"""
                \b{_WE} {_SURE}(?:take|drink|eat|go to|play|run|train|practi[cs]e|volunteer|walk|swim|wake|get up)\b
            """),
        ),
        (2, words(r"^[a-z]{3,12}ing (?:an? |my |the |to |for |in |some |with )")),
        (
            2,
            words(rf"""
                \b{_WE} (?:have|need|want|have got|gotta|must|can't|cannot) (?:to |an? |\d|two |three )?[a-z]{{3}}
            """),
        ),
        (
            2,
            words(rf"""
                \b(?:i'm|we're|i am|we are) {_SURE}(?!feeling|thinking|hoping|wondering|guessing|looking forward
                    |talking|saying|asking|being|getting|doing (?:well|good|fine|great|ok|my best|it|that|this
                    |something)|having|loving|trying to (?:say|help))[a-z]{{3,12}}ing\b
            """),
        ),
        (2, words(r"\b(?:i'm|i am|i'll be) (?:out|off|away|on (?:leave|vacation|holiday|call)|in town|back)\b")),
        (
            2,
            words(r"""
                \b(?:my|our) (?:[a-z]{2,12} ){0,2}[a-z]{2,12} (?:is|was|are|were|got|broke|has|had|will|went|died
                    |crashed|arrived|starts|ends|needs|works|won|lost)\b
            """),
        ),
        (
            2,
            words(r"""
                \bi was (?:able to|in|at|on)\b|\bi'm on (?:a|the) (?:diet|team|board|trip|waiting list)\b
                |\bthe \w{3,14} (?:has )?(?:made|helped|taught) me\b
            """),
        ),
        (
            2,
            exact(r"""
                (?:^|[a-z,] )(?!(?:This|That|It|What|There|Here|They|You|We|He|She|And|But|So|Life|Everything|Nothing
                    |Today)\b)[A-Z][a-z]{1,14}(?: [A-Z][a-z]{1,14})?(?:'s| is(?! (?:so|such|really|the best|awesome
                    |amazing|cool|great|a great|beautiful))| was| has| and I| works| lives| moved| got| will| loves
                    | likes| hates| started| bought| quit| died| passed| studies| plays| wants| plans| said| told)\b
            """),
        ),
    ),
    bonus=(
        (1, words(_WHEN)),
        (1, NUMBERS),
        (
            1,
            words(r"""
                \b(?:every|each) (?:day|week|month|year|morning|night|evening|weekend|summer|(?:mon|tues|wednes|thurs
                    |fri|satur|sun)day)\b
                |\b(?:daily|weekly|once|twice) a (?:day|week|month|year)\b
            """),
        ),
        (1, re.compile(r"[a-z,] (?!I\b|I'|OK\b|LOL\b|OMG\b)[A-Z][\w'-]+")),
        (1, words(rf"\b(?:my|our) (?:\w{{3,10}} )?(?:{_PEOPLE})\b")),
        (
            1,
            words(r"""
                \b(?:\d+|two|three|four|five|six|seven|eight|nine|ten) (?:year|month|week|day|kid|child|dog|cat|time
                    |people)
            """),
        ),
    ),
    settled=words(r"""
        \bi(?:'ve| have) (?:just |now )?(?:booked|scheduled|reserved|ordered|cancelled|canceled|saved|sent
            |set (?:up )?an? (?:reminder|alarm)|added .{1,60} to your (?:calendar|list|cart|reminders))\b
        |\byour (?:\w{3,12} )?(?:reservation|booking|order|appointment|flight|ticket|table|refund) (?:is|has been
            |was) (?:\w{3,8} )?(?:confirmed|booked|scheduled|placed|cancelled|canceled|reserved|processed|set)
        |\bi(?:'ll| will) remind you\b|\b(?:confirmation|booking|order|reference) (?:number|code|id)\b
    """),
    before_question=words(r"""
        ^((?!(?:when|if|since|because|after|before|as|while|once|so|what|how|who|where|why|do|did|are|is|can
            |have)\b)[^?]{10,400}?)[,;:.—-]{1,3} ?((?:and |but |so |then )?(?:what|how|who|where|when|why|which|can
            |could|do|does|did|is|are|would|should|will|any|have|right)\b[^,?]{0,200}\?\W*)$
    """),
    addressed=words(r"\b(?:you(?:'re|'ll|'ve|'d|r|rself|rs)?|ourselves)\b"),
    dependent=re.compile(r"^(?:she|he|they|it|that|this|those|these|their|his|her|its)(?:'|\b)", re.IGNORECASE),
)
