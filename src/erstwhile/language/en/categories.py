"""English words of the categories of facts, and of what makes a fact matter."""

from typing import Final

CATEGORIES: Final = {
    "promise": (
        r"promis\w+|vow(?:s|ed)?|swore|swears?|gave (?:his|her|their|my) word|i'll|i will|we'll|owes?"
        "|guarantee[sd]?"
    ),
    "decision": (
        r"decid\w+|decision|agreed|chose|chosen|settled on|made up (?:his|her|their|my) mind|resolved"
        "|picked|went with|approved|cancell?ed"
    ),
    "plan": (
        "plan(?:s|ned|ning)?|going to|gonna|will|intends?|hopes? to|wants? to|would like to"
        "|scheduled?|booked|upcoming|aims? to|looking forward"
        "|is (?:moving|leaving|starting|visiting|flying|travell?ing)"
    ),
    "preference": (
        "likes?|loves?|hates?|dislikes?|prefers?|preferred|enjoys?|favou?rites?|fond of|can't stand"
        r"|allerg\w+|vegan|vegetarian|fan of|afraid of|scared of|fears?"
        "|(?:doesn't|does not|don't|never) (?:eat|drink)s?|interested in|hobb(?:y|ies)"
    ),
    "relation": (
        "sisters?|brothers?|mother|mom|mum|father|dad|parents?|wife|husband|girlfriend|boyfriend"
        r"|partner|daughters?|sons?|grand\w+|aunts?|uncles?|cousins?|nieces?|nephews?|friends?"
        "|roommate|flatmate|neighbou?rs?|colleagues?|boss|fianc[eé]e?|married|dating|dogs?|cats?"
        "|puppy|kitten|pets?|named|called"
    ),
    "place": (
        "lives?|living|moved|moves|relocated|from|based in|address|resides?|works? (?:at|in|for)"
        "|stud(?:y|ies|ied) (?:at|in)|grew up|located|home ?town|apartment|flat|house"
    ),
    "event": (
        r"\w{3,}ed|bought|met|went|got|had|gave|took|saw|ate|made|found|lost|(?<!\d )won|began|came"
        "|left|broke|fell|sold|paid|told|wrote|built|became|caught|flew|drove|ran|sent|spent|taught"
        "|wore|said"
    ),
    "date": (
        "(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:jan|febr)uary|march(?! on)|april|june|july"
        "|august|(?:septem|octo|novem|decem)ber"
        r"|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.? \d{1,2}"
        r"|\d{1,2} (?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)\w*|may \d{1,2}\w*"
        r"|\d{4}-\d{2}-\d{2}|\d{1,2}/\d{1,2}(?:/\d{2,4})?|(?:19|20)\d\d|\d{1,2}(?::\d{2}|\s?[ap]m)"
        "|birthdays?|anniversary|deadline"
    ),
    "whose date": r"(?:birthday|anniversary|deadline|due date)\b.{0,20}\b(?:is|was|on|falls|:)",
    "harm": (
        r"allerg\w+|anaphyla\w+|diabet\w+|asthma\w*|epilep\w+|pregnan\w+|insulin|celiac|coeliac"
        r"|intoleran\w+|emergency|cancer|surgery"
    ),
    "weighty": (
        "important|never forget|remember|first time|first meeting|for the first time|married|marry"
        "|wedding|engaged|divorced?|born|died|passed away|funeral|diagnosed|hospital|fired|promoted"
        "|quit|password|passport"
    ),
}
