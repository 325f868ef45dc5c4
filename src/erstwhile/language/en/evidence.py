"""English: what a statement says when it is a fact, and what makes it concrete."""

from __future__ import annotations

from typing import Final

from erstwhile.language.facts import Evidence, exact, unfolded, words

_SURE: Final = unfolded("""
    (?:(?:really|absolutely|totally|just|also|still|always|actually|definitely|never|both|kinda|finally|recently|even
        |currently|now|already|officially|only) ){0,2}
""")
_WE: Final = r"(?:i|we|my (?:wife|husband|partner|family) and i)"
_PEOPLE: Final = unfolded("""
    mom|mum|mam|mother|dad|father|parents|sister|brother|wife|husband|partner|girlfriend|boyfriend|fiancée?|son
    |daughter|kids?|children|baby|grandma|grandpa|grandmother|grandfather|aunt|uncle|cousin|niece|nephew|boss
    |manager|roommate|flatmate|best friend|friend|neighbou?r|teacher|therapist|landlord|landlady|dog|cat|puppy
    |kitten|hamster|rabbit
""")
_WEEKDAY: Final = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_MONTH: Final = unfolded("""
    (?:january|february|march|april|june|july|august|september|october|november|december
    |(?-i:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|May)|(?<=\\d )(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct
        |nov|dec)|(?<=of )may|(?<=in )may|(?<=by )may|(?<=since )may|(?<=from )may)
""")
_NTH: Final = r"\d{1,2}(?:st|nd|rd|th)(?! (?:floor|time|birthday|one|grade|century))"
# One match per date, so that two matches are two dates: "Friday 12th to Sunday 14th".
_DAY: Final = unfolded(rf"""
    \b(?:(?:{_WEEKDAY}|(?<=the )(?:mon|tue|wed|thu|fri|sat|sun)|(?<=on )(?:mon|tue|wed|thu|fri|sat|sun))\b
        (?:,? (?:the )?\d{{1,2}}(?:st|nd|rd|th)?\b(?!:))?(?:,? (?:of )?{_MONTH}\b)?
    |(?:{_NTH}|\d{{1,2}})(?: of)? {_MONTH}\b|{_MONTH} \d{{1,2}}\b(?!:)|{_NTH}|{_MONTH}\b(?! (?:i|we|be|have)\b)
    |(?:19|20)\d\d\b(?! (?:won|usd|eur))|q[1-4]\b|christmas|easter|chuseok|lunar new year|(?:next|in) (?:spring
        |summer|autumn|winter))
""")
_RECENT: Final = unfolded("""
    \\b(?:yesterday|today|tonight|tomorrow|(?:last|next|this) (?:week|weekend|month|year|night|summer|winter|spring
    |fall)|recently|lately|the other day|a while ago|(?:\\d{1,2}|a|two|three|few|couple of) (?:day|week|month
        |year)s? ago)\\b
""")
_FEW: Final = unfolded("""
    (?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|seventy
    |eighty|ninety|hundred|half)(?:-(?:one|two|three|four|five|six|seven|eight|nine))?
""")
_NUMBER: Final = r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?:\.\d+)?|(?<![\w.,])\d+(?:\.\d+)?"
_AMOUNT: Final = unfolded(rf"""
    [$€£¥₩]\s?\d[\d,.]*|(?:{_NUMBER}) ?(?:[€%]|k\b|(?:million|billion|thousand|won|euros?|dollars?|pounds?|bucks|usd
        |eur|krw|gbp
        |km|kg|cm|mm|m|mg|ml|ms|g|gb|gigs?|grams?|kilos?|kilograms?|lit(?:er|re)s?|met(?:er|re)s?|miles?|degrees
            |hours?|hrs?
        |mins?|minutes|days?|weeks?|months?|years?|nights?|people|visitors|pieces|rooms?|boxes|photos|stairs|pages
            |copies|kids|children|dogs|cats|times a)\b)
    |(?<![\w.,])\d{{1,3}}(?:,\d{{3}})+\b|(?<![\w.,:/-])\d{{3,9}}\b(?![:.]\d)|(?<![\w.,])\d{{1,3}}\.\d{{1,2}}\b(?!\.\d)
    |\d{{1,3}},? (?:a|an|per) (?:month|night|week|day|year|hour|head|person|room)\b
    |\b\d{{1,2}}:\d{{2}}\b|\b\d{{1,2}} ?(?:am|pm)\b|\bhalf (?:six|seven|eight|nine|ten|past)\b|\b(?:eight|nine|ten
        |eleven|noon|twelve) (?:to|till) (?:four|five|six|seven|eight|nine|ten|midnight)\b
        |\b\d{{2,5}}[- ]\d{{3,4}}[- ]\d{{3,6}}\b
    |\b[\w.]{{1,40}}@[\w-]{{1,40}}\.\w{{2,10}}\b
    |\b{_FEW} (?:(?!of\b|or\b|and\b|more\b|times?\b|hours? (?!a\b)|minutes|seconds
        )[a-z]{{3,12}} )?(?:years?|months|weeks|kids|children
        |million|thousand|hundred|cent\w{{3,7}}|levels|pieces|layers|eggs|tomatoes|spoons?|grams|kilos|kilograms|dogs
            |cats|rooms|people|degrees|visitors|sugars?|nights|days a)\b(?! ago)
""")
_MATTER: Final = unfolded(r"""
    \b(?:rents?|lease|contract|deposit|mortgage|flat|apartment|house|studio|salary|pays?|paid|pension|job|notice
    |shift|exams?|grant|loan|insurance|budget|total|costs?|prices?|fee|tickets?|trains?|flights?|ferry|boat|ship|bus
    |van|truck|car|bike|hotel|rooms?|guesthouse|booking|appointment|vet|clinic|doctors?|gp|dr|hospital|surgery|hip
    |knee|medicine|pills|tablets|blood|birthday|anniversary|wedding|funeral|party|dinner|trip|vacation|visit|concert
    |rehearsals?|meeting|deadline|due|release|launch|deploy|migration|rollback|prod|production|staging|cluster
    |server|database|password|code|keys?|weighs?|school|university|college|class|classes|course|degree|company
    |office|army|insulin|diet|gym|marathon|phone|laptop|battery|plan|prepaid|website|fair|festival|workshop|open day
    |spent|sold|visitors)\b
""")

EVIDENCE: Final = Evidence(
    day=words(_DAY),
    recent=words(_RECENT),
    amount=words(_AMOUNT),
    name=exact(r"""
        \b(?:[Mm]rs?|[Mm]s|[Dd]r)\.? [A-Za-z][a-z]{1,14}\b
        |[a-z,)] (?!I\b|I'|OK\b|LOL\b|OMG\b|God\b|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|(?:Janua|Februa)ry
            |March\b|April\b|May\b|June\b|July\b|August\b|(?:Septem|Octo|Novem|Decem)ber)[A-Z][a-z][\w'-]*(?!\W*$)
        |(?:\b(?:in|at|from|to|near|with|called|named|for|of) )(?!I\b|I'|OK\b|God\b|(?:Mon|Tues|Wednes|Thurs|Fri
            |Satur|Sun)day
            |(?:Janua|Februa)ry|March\b|April\b|May\b|June\b|July\b|August\b|(?:Septem|Octo|Novem|Decem)ber)[A-Z][a-z]
        |^(?!(?:This|That|What|There|Here|They|You|We|He|She|It|And|But|So|Life|Everything|Nothing|Nobody|Everybody
            |Today
            |Yesterday|Tomorrow|Please|Also|Just|The|My|Our|Your|His|Her|Its|Their|In|On|At|For|From|If|When|Then|No
                |Not
            |Yes|Someone|Somebody|Everyone|One|Two|All|Some|First|Last|Next|Now|Happy|Thank|Thanks)\b)[A-Z][a-z]{1,14}
            (?: [A-Z][a-z]{1,14})?(?:'s [a-z]+ | )(?:is|was|has|had|will|can|may|and I|and i|won't|[a-z]{2,10}(?:ed
                |s))\b
    """),
    kin=words(rf"\b(?:my|our|his|her|your) (?:\w{{3,10}} )?(?:{_PEOPLE})s?\b"),
    matter=words(_MATTER),
)

_STATE: Final = unfolded(rf"""
    \bmy name(?:'s| is)\b|\b(?:you can )?call me [a-z]
    |\b(?:his|her|its|their) names? (?:is|are|was)\b
    |\bi(?:'m| am) (?:now |currently |originally |actually ){{0,2}}(?:an? (?!bit|little|lot|fan\b|mess|wreck|genius
        |idiot)[a-z]|from [a-z]|pregnant|diabetic|married|divorced|engaged|single\b|retired|based in
        |\d\d\b|(?:learning|studying|training|teaching|volunteering|majoring|raising|expecting)\b|working (?:at|as
            |for|in)\b|living (?:in|with|at)\b)
    |\b{_WE} {_SURE}(?:live|lives|work (?:at|as|for|in|from|on|with)|worked (?:at|as|for|in)|study|studied|teach
        |grew up|speak|run a|stay (?:in|with))\b(?! (?:well|out|fine|hard))|\b{_WE} {_SURE}own (?:an?|the|two|three)\s
    |\bi was (?:born|raised|diagnosed|hired|fired|promoted|laid off|accepted)\b
    |\b{_WE}(?:'ve| have) been (?:married|together|friends|sober|vegan|seeing (?:someone|somebody|a ))
    |\b(?:\w{{1,9}} )?years (?:together|married|sober)\b
    |\b(?:we're|we are) (?:both |all )?(?:married|engaged|expecting|based in|from [a-z])
    |\b(?:i'm|we're|i am|we are) using [a-z]|\b{_WE} {_SURE}use [a-z]|\b(?:we're|we are) on (?-i:[A-Z])\w+ \d
    |\bmy (?:birthday|job|address|phone number|number|email|major|hometown|wedding|anniversary|surgery
        |blood type)(?:'s| is| was| will be)\b
    |\b(?:birthday|bday)(?:'s| is| was| on)\b|\bturning \d\d\b|\bmine's (?:the )?\d{{1,2}}\b|\bmy \d{{2}}th\b
""")
# What a body cannot take is seldom called by its name.
_BODY: Final = unfolded(r"""
    \ballerg|\bintoleran|\bc(?:o?e)liac|\bvegan\b|\bvegetarian\b|\bveggie\b|\bpescatarian|\bhalal\b|\bkosher\b
        |\bgluten|\blactose\b|\bdiabet|\basthma|\bepilep|\bpregnan|\banaphyla|\bepipen|\bmigraines?\b|\bhives\b
    |\b(?:close|swell|itch|burn|block)(?:s|es)? (?:up )?my (?:throat|lips|mouth|face|eyes|tongue|skin)
    |\bmy (?:throat|lips|mouth|face|tongue) (?:close|swell|itch|burn)(?:s|es)?\b
    |\b(?:brings?|brought) me out in\b|\bgives? me (?:a rash|hives|cramps|migraines|heartburn)
    |\bputs? me in (?:hospital|an ambulance|bed)\b|\bmakes? me (?:sick|ill|throw up|swell|itch)\b
    |\b\w{1,12} (?:can't|cannot|don't|doesn't|won't|do not|does not|never) (?:really )?(?:eat|eats|drink|drinks
        |tolerate|digest)
        (?: any)? (?!it\b|that\b|this\b|them\b|anything|much|the |a |to\b|you)[a-z]{3,12}\b
    |\b\w{1,12} (?:can't|cannot) (?:have|do) (?:dairy|gluten|nuts|milk|wheat|eggs|alcohol|caffeine|sugar|spicy
        |stairs)\b
    |\b(?:i|we|she|he|they|(?-i:[A-Z])[a-z]{2,12}) (?:only )?eats? (?:only )?[a-z]{3,10}(?: now\b|\W{0,2}$)
    |\bno (?:meat|fish|shellfish|dairy|pork|beef|nuts|peanuts|alcohol|sugar|gluten|caffeine|seafood|eggs?|milk|salt)\b
    |\bnot (?:meat|fish|shellfish|dairy|pork|beef|nuts|seafood)\b|\b(?:went|gone|going) (?:vegan|veggie|vegetarian
        |sober)\b|\b(?:diagnosed|prescribed)\b|\bput me on\b|\b\d+ ?mg\b
    |\b(?:broken|broke|fractured|sprained|tore) (?:my|his|her) (?:arm|leg|wrist|ankle|foot|hip|rib|hand|finger
        |shoulder)|\bcan't do stairs\b
""")
_PREFERENCE: Final = unfolded(rf"""
    \b{_WE} {_SURE}(?:don't |do not |didn't )?{_SURE}(?:like|love|hate|prefer|enjoy|adore|dislike|can't stand
        |cannot stand|collect)\b(?! (?:to (?:say|think)|not\b))
    |\bi(?:'m| am) (?:\w{{2,10}} )?(?:into|keen on|afraid of|scared of|obsessed with|a (?:big |huge |massive )?fan of
        |passionate about)\b|\b(?-i:[A-Z])[a-z]{{2,12}} (?:really )?(?:loves|hates|likes|prefers|can't stand)\b
    |\b(?:my|his|her|'s) (?:\w{{3,12}} )?favou?rite\b|\bmy (?:hobby|hobbies|passion|dream|goal|plan
        |limit)(?: job)? (?:is|are|was|has)\b
    |\bis my limit\b|\b(?:deposit|budget|rent|limit) (?:max|maximum|under|up to) \d
        |\bi(?:'ve)? wanted an? [^.]{{3,40}} since\b
""")
_PLAN: Final = unfolded(rf"""
    \b(?:i'm|we're|i am
        |we are) (?:also |still |probably |thinking about |thinking of |finally ){{0,2}}(?:going (?:to (?!be\b|say
        |die|cry
            |bed)|on a|camping|hiking|back)|gonna|planning|moving|relocating|getting (?:an? |married|my)|flying
                |starting (?!to (?:realize|realise|think|feel|see))|leaving|considering|saving (?:for|up)|visiting
                |quitting|adopting
        |applying|building|off to|hoping to|travel)
    |\b{_WE} (?:usually|regularly|normally) [a-z]{{3}}|\bi plan to\b|\bi(?:'ve| have)? decided\b
    |\b(?:i'm|we're) thinking (?:of|about) \w{{3,12}}ing\b
    |\bi(?:'m| am|'ll| will) (?:be )?(?:bak|mak|build|bring|buy|send|giv|cook|knit|paint|writ|bake|make|give
        |write)(?:ing|e|)? you
        (?: an?| the| two| some) \w{{3}}
""")
_PROMISE: Final = unfolded(rf"""
    \b(?:by|before|until|till|no later than) (?:the )?(?:end of (?:the )?(?:{_MONTH}|week|month|year|q\d)|{_DAY})
    |\bdue (?:on|by|the|in)\b|\bdeadline\b|\bi promise\b(?! you\b\W*$)|\bpromised (?!before\b)[a-z]{{2}}
""")
_START: Final = unfolded(rf"""
    \b(?:from|as of|starting|effective|beginning)(?: on| in)? (?:the )?(?:{_DAY}|next (?:week|month|year)|yesterday
        |today|tomorrow|this (?:week|month|year))|\b{_WEEKDAY[:-1]} at (?:\d|half|noon)
    |\b(?:closed|open|off|free|rehearsals?|classes|meetings?)(?: is| are| on| every){{0,2}} (?:mon|tues|wednes|thurs
        |fri|satur|sun)days\b|\b(?:every|each) (?:{_WEEKDAY}|month|year|second)\b
""")
_DECISION: Final = unfolded(rf"""
    \bwe(?:'ve| have)? (?:\w{{4,7}} )?(?:decided|agreed|settled on|chose)\b|\b(?:it's|that's) (?:decided|settled)\b
    |\bdeci(?:sion|ded):|^(?:the )?[\w' ]{{3,40}} it is\W*$|\bi (?:vote|voted) (?!for you)[a-z]{{3}}|\bi abstain
    |^(?!agreed|yes|same|thanks|fine)[a-z]{{3,12}} from me\b|\blet it be recorded that\b
    |\blet's (?:meet|go|do|plan|make it|say|have|book)\b[^?]{{0,60}}(?:{_DAY}|{_RECENT}|\bat \d|\bat the\b)
    |\b(?:tournament|meeting|wedding|party|flight|exam|appointment|interview|deadline|concert|match|game|trip|class
        |funeral|surgery|release|launch|demo)(?:'s| is| was| will be) (?:on|at|in|next|moved|cancell?ed|tomorrow
            |tonight|{_DAY})|\bdeal,
""")
_CHANGE: Final = unfolded(rf"""
    \bno longer\b|\b(?:don't|doesn't|not|can't) [^.?!]{{2,50}} any ?more\b|\b{_WE} used to\b|\b(?:gave|given
        |giving) up\b(?! on)|\bstopped \w{{3,12}}ing\b|\bfor the first time\b|\bmy first\b|\bswitched (?:from|to)\b
        |\bfirst in \w{{2,8}} years\b
    |\bchanged my (?:mind|name|job|number)\b|\b(?:split|broke) up\b|\bback together\b|\bas of (?:yesterday|today
        |now)\b
    |\bhand(?:ed)? in my notice\b|\bi quit\b|\bgot (?:the job|laid off|engaged|married|divorced)\b|\bpassed away\b
    |\b(?:go|goes|went|drop|drops|dropped|rise|rises|rose|up|down) from [^.?!]{{1,30}} to \d
    |\b(?:moved|moves|changed|pushed(?: back)?|postponed|rescheduled|slipped|delayed|shifted) (?:to|until
        |from) (?:the )?(?:{_DAY}|next|\d)
    |\b(?:fell through|is off|called off|is cancell?ed|was cancell?ed|is sold|went bankrupt)\b|\b(?:is
        |are) now (?:legal|closed|free)\b|\b(?:now it's|it's now|so it's) (?:the )?(?:{_DAY})|\bbooked\b
""")
_LIFE: Final = unfolded("""
    moved|graduated|quit|resigned|retired|signed up|signed|enrolled|joined|won|adopted|inherited|married
    |met (?:\\w{2,12} )?(?:parents|family)|got (?:married|engaged|hired|fired|promoted|accepted|divorced|back from
    |into)|had (?:surgery|a baby|an accident|twins)|gave birth|gave up|launched|published|organi[sz]ed|hosted
    |volunteered|injured|competed|passed my|failed my|applied
""")
_EVENT: Final = unfolded("""
    went to|bought|sold|lost|visited|attended|broke|hurt|interviewed|started|passed|failed|got|met|painted|ran|hiked
    |travell?ed|flew|drove|climbed|performed|donated|rented|hired|ordered|cancelled|canceled|switched|changed|named
    |celebrated|held|went|made|took|saw|had|found|gave|said|read|wrote|finished|called|ate|cooked|watched|played
    |learned|learnt|came|left|spent|received|did|built|fixed|helped|talked to|planted|baked|sent|paid|picked|chose
    |set up|camped|swam|cycled|tried|scored|hit|beat|began|taught|rode|kept|stayed|caught|grew|sang|threw|drank|drew
    |worked|(?!want|need|lov|lik|agre|hop|guess|notic|wonder|ask|seem|us|appreciat|realiz|realis|mention|miss
    |thought|peel)[a-z]{3,10}ed
""")
_KIN: Final = unfolded(rf"""
    \b(?:my|our) (?:\w{{3,10}} ){{0,2}}(?:{_PEOPLE})s?(?:,? (?!go\b)(?-i:[A-Z])[a-z]{{2,12}},?)? (?:is (?:an? |in |on a |from [a-z]
        |pregnant)|works|lives|moved|got|died|passed|plays|loves|likes|hates|live|work|started|bought|turned|turns|broke
            |has an? |lands|arrives|gets|built|graduat|married|studies|have an? )
    |\b(?:my|our) (?:{_PEOPLE})s? (?-i:[A-Z])[a-z]{{2,12}} [a-z]
    |\b(?:this is|that's|that was|is) my (?:{_PEOPLE}) [a-z]{{3}}
    |(?-i:[A-Z])[a-z]{{2,12}}, (?:my|our) (?:\w{{3,10}} )?(?:{_PEOPLE})\b|\bnames? (?:is|are) (?-i:[A-Z])
    |\b(?:named|called) (?:him|her|them) [a-z]|\b(?:is|are) called (?-i:[A-Z])
    |\b(?:dog|cat|puppy|kitten|son|daughter|baby|sister|brother|wife|husband)(?: (?:named
        |called))? (?-i:[A-Z])[a-z]{{2}}
    |\b{_WE}(?:'ve got| have| have got) (?:an?|one|two|three|four|five|\d|no|twin|older
        |younger) (?:\w{{3,10}} )?(?:{_PEOPLE})s?\b(?! who)
""")
_LATELY: Final = unfolded(rf"""
    (?:\b{_WE}(?:'ve| have)|^) {{0,1}}been (?:volunteer|teach|work|learn|practi[cs]|train|study|explor|collaborat
        |read|play|deal|take|tak
        |see|runn|try|focus|build|sav|look|plan|liv|writ|creat|gett|paint|cook|driv|swimm|coach|help|date|dat
            |attend)ing\b
        (?! (?:at photos|it|that|this|you|him|her|them))
    |\bmy (?:\w{{3,12}}) and i (?!are\b|were\b|have been)[a-z]{{3}}
""")
_COMING: Final = unfolded(r"""
    \b\w{2,12}(?:'s| is| are|'re) (?:flying|moving|coming|arriving) (?:in|down|over|up|back|to|from|on)\b(?! (?:it|me
        |my mind))|\b(?:i'm|we're|i am) (?:still |back )?(?:in|at) \w{3,14} (?:till|until|for (?:a|two|three|\d))
""")
_MINE: Final = unfolded(r"""
    \b(?:my|our) (?:[a-z]{2,12} ){0,2}[a-z]{2,12} (?:is|was|are|were|got|broke|has|had|will|went|arrived|starts|ends
        |needs|works|won|lost|lets|wants|made|just|helped|and i)\b
""")
_TOLD: Final = unfolded(r"""
    \b(?:mrs?|ms|dr)\.? \w{2,14} (?:\w{2,12}(?:ed|s)|rang|said|told|came|went|took|gave|is (?!perfect|great|lovely
        |so\b|the best)|was|has|will|can)\b
    |\b(?:landlord|landlady|agent|clinic|doctor|vet|finance|legal|hr|bank|school|boss|manager|teacher|inspector)\s
        (?:just )?(?:rang|called|says|said|wants|told|moved|emailed|wrote|asked|offered|hasn't|signed)\b
""")
_THIRD: Final = r"""
    (?:^|[a-z,;:.] )(?!(?:This|That|It|What|There|Here|They|You|We|He|She|And|But|So|Life|Everything|Nothing|Today
        |Who)\b)
        [A-Z][a-z]{1,14}(?: [A-Z][a-z]{1,14})?(?:'s| is(?! (?:so|such|really|the best|awesome|amazing|cool|great
            |a great
        |beautiful|crying|lying))| was| has| and I| and i| works| lives| moved| got| will| loves| likes| hates
            | started| bought
        | quit| died| passed| studies| plays| wants| plans| said| told| says| arrives| lands| starts| takes| signed
            | made| built| lent| went| comes| has to| can(?! (?:stop|go)))\b
"""
_SPOKEN_OF: Final = unfolded(r"""
    ^(?:and |so )?[a-z]{3,12} is (?:flying|coming|moving|leaving|arriving|getting|starting|away|back|out|confirmed
        |an? |on call|in |at )|^[a-z]{3,12} is an? (?:girl|boy)\b
    |\b[a-z]{3,12} (?:offered|wants|promised|agreed|agrees|arrives|lands|starts|takes over|leaves
        |is taking) (?:to |in |on |at |the |over )
""")

PRIMARY: Final = (
    (4, words(_STATE)),
    (4, words(_BODY)),
    (3, words(_PREFERENCE)),
    (3, words(_PLAN)),
    (3, words(_PROMISE)),
    (3, words(_START)),
    (4, words(_DECISION)),
    (4, words(_CHANGE)),
    (3, words(_KIN)),
    (3, words(rf"(?:\b{_WE}(?:'ve| have|'d)? {_SURE}|^(?:just |finally |recently )?)(?:{_LIFE})\b(?!')")),
    (3, words(rf"\b{_WE}(?:'ve)? (?:just|finally) (?!got|had|did|saw|made|took|read|called|tried|came)(?:{_EVENT})\b")),
    (
        3,
        words(
            r"\b(?:my|our) (?:\w{2,12} )?\w{2,12} (?:died|crashed|was stolen|got stolen|is (?:broken|dead|stolen))\b"
        ),
    ),
    (3, words(r"\bthe (?:\w{3,12} ){1,2}(?:in the \w{3,12} )?(?:is|are) (?:broken|dead|cancell?ed)\b")),
    # Ten words about what somebody did say something, whatever the verb.
    (3, words(rf"\b{_WE}(?:'d)? {_SURE}(?:{_EVENT})\b(?=(?:\W{{1,3}}\w{{1,20}}){{8}})")),
    (2, words(rf"(?:\b{_WE}(?:'ve| have|'d)? {_SURE}|^(?:just |finally |recently )?)(?:{_EVENT})\b")),
    (2, words(rf"\b{_WE}(?:'ll| will) (?:be |probably |definitely |finally |also )?[a-z]{{2}}")),
    (3, words(_LATELY)),
    (2, words(rf"\b{_WE}(?:'ve| have) been [a-z]{{3,14}}ing\b|^been [a-z]{{3,14}}ing\b|\bsince (?:{_DAY}|i was|last)")),
    (
        2,
        words(rf"""
            \b{_WE} {_SURE}(?:take|drink|eat|go to|play|run|train|practi[cs]e|volunteer|walk|swim|wake|get up|do|make
                |owe|own)\b
        """),
    ),
    (2, words(r"^[a-z]{3,12}ing (?:an? |my |the |to |for |in |some |with |on )")),
    (2, words(rf"\b{_WE}(?:'ve to)? (?:have|need|want|have got|gotta|must) (?:to |an? |\d|two |three )?[a-z]{{3}}")),
    (
        2,
        words(rf"""
            \b(?:i'm|we're|i am|we are) {_SURE}(?!feeling|thinking|hoping|wondering|guessing|looking|talking|saying
                |asking|being|getting|doing|having|loving|trying|sitting|staring|standing|crying
                    |lying)[a-z]{{3,12}}ing\b
        """),
    ),
    (2, words(r"\b(?:i'm|i am|i'll be) (?:out|off|away|on (?:leave|vacation|holiday|call)|in town|back)\b")),
    (3, words(_COMING)),
    (2, words(_MINE)),
    (2, words(_TOLD)),
    (2, words(_SPOKEN_OF)),
    (
        2,
        words(
            r"\bi was (?:able to|in|at|on)\b|\bi'm on (?:a|the) (?:diet|team|board|trip|waiting list)\b|\bi'?ve to\b"
        ),
    ),
    (2, exact(_THIRD)),
)
