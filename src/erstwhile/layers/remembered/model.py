from __future__ import annotations

from datetime import datetime

from erstwhile.base.records import copied, dataclass
from erstwhile.layers.remembered import lines
from erstwhile.layers.remembered.lines import Line
from erstwhile.memories.model import StoredMemory

TOLD = "told"
REMEMBER, FORGET = "remember", "forget"
ABOUT, TALK = "about", "talk"
INTENTS = (REMEMBER, FORGET, ABOUT, TALK)
PLAIN = "extractive/1"


@dataclass(frozen=True, slots=True)
class Teller:
    """Who told something. `label` is "" for the person and the app, who may change every line.
    `labels`: all names under which earlier lines are the same teller's."""

    label: str = ""
    labels: frozenset[str] = frozenset()

    @property
    def own(self) -> bool:
        return not self.label

    def may_touch(self, line: Line) -> bool:
        return self.own or line.author == self.label or line.author in self.labels


@dataclass(frozen=True, slots=True)
class ToldText:
    """A remembered text. `audience` is "" if everyone in the space may see it, else a private
    channel. `version` counts its changes."""

    id: str
    person: str
    audience: str
    text: str
    version: int
    writer: str
    draft: bool
    changed_at: datetime

    @property
    def plain(self) -> str:
        """The text without quotations: what others may see."""
        return lines.unquoted(self.text)


@dataclass(frozen=True, slots=True)
class RememberRequest:
    """A request to remember or to forget `words` about a person. `said_by`: who asked, None for the
    app itself; `channel` and `seq`: in which message, if any; `found`: whether what to forget was
    there; `flag`: why it is only quoted, or ""."""

    person: str
    action: str
    words: str
    said_by: str | None = None
    channel: str | None = None
    seq: int | None = None
    found: bool = True
    flag: str = ""
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ForgetResult:
    """What `forget` did. `removed`: the sentences that are gone; `text`: what is still remembered.
    `unsure`: those that may have been meant, if none was found: say which."""

    found: bool
    person: str
    text: str
    removed: str
    draft: bool
    unsure: tuple[str, ...] = ()

    @property
    def question(self) -> str:
        """Which of them was meant; "" if that is clear."""
        return "Which of these? Use its words:\n" + "\n".join(self.unsure) if self.unsure else ""


@dataclass(frozen=True, slots=True)
class CommandReply:
    """What a message asked for and what was done. `intent` is remember, forget, about or talk
    (nothing was done). `person` is whom it is about, None if that is unclear; then `text` says what
    to do."""

    intent: str
    person: str | None = None
    fact: str = ""
    found: bool = False
    text: str = ""


def told_of(memory: StoredMemory, version: int) -> ToldText:
    owner = {"person": memory.person or "", "audience": memory.channel}
    return copied(ToldText, memory, **owner, version=version, changed_at=memory.at)
