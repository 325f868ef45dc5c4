"""Chinese sentences in the third person. Only words for the person change."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from erstwhile.language.third_person import ThirdPerson


def _turn(said: str, name: str, names: Sequence[str], teller: str) -> str:
    if "我" in said:
        speaker = teller or name
        said = re.sub("我(?:们|們)", lambda _found: f"{speaker}他们", said).replace("我", speaker)
        if not teller:
            return said
        if said.startswith(teller):
            if not re.search("[他她]", said):
                return f"{name}：{said}"
            return re.sub("[他她](?!们|們)", lambda _found: name, said)
    if said[0] in "他她" and not said.startswith(("他们", "她们", "他們", "她們")):
        return name + said[1:]
    if any(each and each in said for each in names):
        return said
    return f"{name}{said}"


def _by_name(said: str, name: str) -> str:
    return re.sub("我(?:们|們)", f"{name}他们", said).replace("我", name)


THIRD_PERSON: Final = ThirdPerson(turn=_turn, by_name=_by_name)
