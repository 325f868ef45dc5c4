"""Bodies. What the values may be is the door's to say, as far as the schema can't."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag

# Numbers of messages and tokens fit both databases, and JavaScript.
Number = Annotated[int, Field(ge=0, le=2**53 - 1)]
Text = Annotated[str, Field(min_length=1)]
Name = Annotated[str, Field(min_length=1, max_length=512)]
Within = Annotated[
    list[Annotated[str, Field(max_length=512)]] | None,
    Field(
        max_length=10_000,
        description="Only what was said in these channels (once for each) and in the one asked in, and what everyone may hear.",
    ),
]
Recipe = Literal["dual", "brief", "recall", "person", "community", "full"]
Section = Literal["bio", "interests", "skills", "opinions", "relationships", "other"]


class Asked(BaseModel):
    """In an address everything is text, and is read as what it stands for."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Given(BaseModel):
    """In a body a number is a number: "5" and 1 for true are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def _example(**fields: Any) -> ConfigDict:
    return ConfigDict(json_schema_extra={"examples": [fields]})


class GivenMessage(Given):
    """One message. `at` is ISO text with a zone, for imports; `key` is your own id of it: the same again changes nothing."""

    model_config = _example(role="user", text="I moved to Busan last week", person="alice", name="Alice")

    role: Literal["user", "assistant", "system", "tool"]
    text: Text
    person: Name | None = None
    name: Name | None = None
    at: str | None = None
    key: Name | None = None
    model: Name | None = None
    meta: Mapping[str, Any] | None = None
    channel: Name | None = Field(None, description="May be named, as long as it is the channel of the path.")


class GivenMessages(Given):
    """Messages that are stored as one: all of them or none."""

    model_config = _example(
        messages=[
            {"role": "user", "text": "I moved to Busan last week", "person": "alice"},
            {"role": "assistant", "text": "How is the sea?", "model": "gpt-5-mini"},
        ]
    )

    messages: list[GivenMessage]


class Rewording(Given):
    """What a message says now."""

    model_config = _example(text="I moved to Busan last month")

    text: str = Field(description="Without any, the message is taken back.")


class GivenKeys(Given):
    """Keys of messages, as they were or would be given to them."""

    model_config = _example(keys=["discord:1187", "discord:1188"])

    keys: list[Name] = Field(max_length=10_000)


def _how_many(given: object) -> str:
    return "many" if isinstance(given, GivenMessages) or (isinstance(given, Mapping) and "messages" in given) else "one"


OneOrMany = Annotated[
    Annotated[GivenMessage, Tag("one")] | Annotated[GivenMessages, Tag("many")], Discriminator(_how_many)
]


class WantedHere(Asked):
    """What a context is wanted for."""

    query: str = Field("", description="The question. Without one: what is worth knowing here anyway.")
    person: Name | None = Field(None, description="Who asks.")
    budget: Number | None = Field(None, description="Tokens, at least 100.")
    recipe: Recipe | None = Field(None, description="What it is made of; else the space's.")
    scope: Literal["channel", "person"] | None = Field(
        None,
        description="`person` looks in the person's other channels too; without it, only if there is too little here.",
    )
    within: Within = None
    items: bool = Field(False, description="Also the lines of each part, with where each comes from.")
    trial: bool = Field(False, description="Someone tries it out: it counts in no report.")


class WantedContext(WantedHere):
    """What a context is wanted for."""

    model_config = ConfigDict(strict=True) | _example(
        query="Where do I live now?", person="alice", budget=2000, recipe="full"
    )


class Question(Given):
    model_config = _example(query="Where do I live now?", person="alice")

    query: Text
    person: Name | None = None
    name: Name | None = None
    model: Name | None = None
    system: str = ""
    sources: str = ""
    budget: Number | None = None
    recipe: Recipe | None = None
    key: Name | None = None
    within: Within = None
    keep: bool = Field(True, description="False: question and reply are not logged.")


class Line(Given):
    model_config = _example(text="remember that I am allergic to nuts", person="alice", name="Alice")

    text: str
    person: Name | None = None
    name: Name | None = None


class GivenFact(Given):
    model_config = _example(text="Alice prefers trains to planes.", person="alice")

    text: Text
    by: Name | None = None
    person: Name | None = None


class Range(Given):
    model_config = _example(first=11, last=20, what="chunk")

    first: Number
    last: Number
    what: Literal["chunk", "facts", "structured", "meta", "embeddings"] = "chunk"
    overwrite: bool = False


class Trial(Given):
    """`prompt` is summarise, condense (for a meta), extract, structure or fold. Without `instructions`: the prompt in force."""

    model_config = _example(
        first=11, last=20, prompt="extract", instructions="List what {people} promised, as bullets."
    )

    first: Number
    last: Number
    prompt: Name
    instructions: str | None = None


class ModelRole(Given):
    model_config = _example(role="light")

    role: Literal["light", "strong", "chat", "embedder"] = "light"


class Undoing(Given):
    """`undo`, `replaced` and `gone` as `regenerate` answered them."""

    model_config = _example(undo="req_0123456789abcdefghjkmnpqrs", replaced=["chk_0123456789abcdefghjkmnpqrs"], gone=[])

    undo: Name
    replaced: list[Name] = Field(max_length=10_000)
    gone: list[Name] = Field(max_length=10_000)
    by: Name | None = None


class Privacy(Given):
    model_config = _example(privacy="private", people=["alice", "bob"])

    privacy: Literal["open", "private", "direct"]
    people: list[Name] = []
    title: str | None = Field(None, max_length=512, description="What people call the channel.")


class ListeningGiven(Given):
    """`since`: from this time on; without it, from the channel's beginning."""

    model_config = _example(on=True, since="2026-03-01T00:00:00+00:00", by="alice", title="general")

    on: bool = True
    since: str = Field("", max_length=64)
    by: str = Field("", max_length=512)
    title: str | None = Field(None, max_length=512, description="What people call the channel.")


class HeardGiven(Given):
    """The key of a message; empty: none."""

    model_config = _example(key="discord:1187")

    key: str = Field(max_length=512)


class Words(Given):
    """What a memory is to say from now on."""

    model_config = _example(text="Alice lives in Busan.", by="alice")

    text: Text
    by: Name | None = None


class Doer(Given):
    """Who does it; else the key's name."""

    model_config = _example(by="alice")

    by: Name | None = None


class Decision(Given):
    """`keep`: it stays as it is. `reopen`: it is to be looked at again."""

    model_config = _example(decision="keep", by="alice")

    decision: Literal["keep", "reopen"] = "keep"
    by: Name | None = None


class Telling(Given):
    """`by` is who says it: without it the app itself."""

    model_config = _example(fact="goes by Ally", by="alice")

    fact: Text
    by: Name | None = None
    channel: Name | None = None


class ProfileLine(Given):
    model_config = _example(section="skills", text="Plays the cello.")

    section: Section
    text: Text
    by: Name | None = None


class FlatFact(Given):
    text: Text
    section: Section | None = None
    at: str | None = None


class GivenFacts(Given):
    """Lines, or objects of which only the text is needed."""

    model_config = _example(facts=["Plays the cello.", {"text": "Born in Daegu.", "section": "bio"}])

    facts: list[Text | FlatFact]
    by: Name | None = None


class Blocked(Given):
    model_config = _example(blocked=True)

    blocked: bool
    by: Name | None = Field(None, description="Who wants it so; whoever blocked themselves may take it back.")


class Shares(Given):
    model_config = _example(shares=True)

    shares: bool


class Complaint(Given):
    model_config = _example(note="It forgot that I moved.")

    note: str = ""


class Reason(Given):
    model_config = _example(reason="The provider is down until Monday.")

    reason: str = ""


class Instructions(Given):
    model_config = _example(instructions="Summarise in Korean, in at most five sentences.")

    instructions: Text
    person: Name | None = None


class Choices(Given):
    """What is left out stays; "" takes a setting back. `base_url` needs an admin key."""

    model_config = _example(model="openai:gpt-5-nano", recipe="full", retention="message=90")

    model: str | None = None
    model_strong: str | None = None
    chat_model: str | None = None
    base_url: str | None = None
    recipe: str | None = None
    api_key: str | None = None
    privacy: str | None = None
    retention: str | None = None
