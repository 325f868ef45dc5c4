"""English words of the sections of a profile."""

from typing import Final

SECTIONS: Final = {
    "opinions": (
        "thinks?|thought|believes?|prefers?|would rather|opinion|considers?|(?:dis)?agrees?|supports?"
        "|opposes?|(?:finds?|feels?) that|over(?:rated|hyped)|underrated"
    ),
    "skills": (
        "can (?:speak|play|cook|code|program|write|read|draw|sing|dance|swim|ride|drive|fly|fix|build)"
        "|speaks?|fluent|knows how"
        "|(?:is |are )?(?:good|skilled|experienced|expert|proficient) (?:at|in|with)|plays the"
        "|programs?|codes?|skills?|certified|trained"
    ),
    "interests": "collects?|passionate|into|watches|listens to|follows|plays",
    "bio": (
        "years? old|aged?|works? (?:as|at|for|in)|studies|studied|student|job|born|native|graduated"
        r"|is an? \w+(?:er|or|ist|ian|nurse)"
    ),
}
