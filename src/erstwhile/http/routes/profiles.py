"""Profiles: who a person is, in six sections."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from erstwhile.http.conversation import SPACE, Called, Door, Reads, Writes, doer, routes
from erstwhile.http.shapes.answered import Deleted, Exported, Imported
from erstwhile.http.shapes.asked import By, Ended, PersonName
from erstwhile.http.shapes.given import GivenFacts, ProfileLine
from erstwhile.layers.profiles.model import Profile, ProfileFact

router = routes("profiles", SPACE + "/people/{person:id}/profile")


@router.get("", summary="A person's profile")
async def profile(person: PersonName, space: Reads, memory: Door, asked: Annotated[Ended, Query()]) -> Profile:
    """Facts by section, each with the notes it came from; with `ended`, also what no longer holds."""
    return await memory.profile(person, space=space, ended=asked.ended)


@router.post("", status_code=201, summary="Add to a profile")
async def add_to_profile(
    person: PersonName, space: Writes, memory: Door, caller: Called, body: ProfileLine
) -> ProfileFact:
    """A fact by hand, which nobody but a person changes. The same again changes nothing."""
    by = doer(body.by, caller)
    return await memory.add_to_profile(person, body.section, body.text, by=by, space=space)


@router.delete("", summary="Delete a profile")
async def delete_profile(
    person: PersonName, space: Writes, memory: Door, caller: Called, asked: Annotated[By, Query()]
) -> Deleted:
    """Takes all facts about a person away and says how many; what was said up to now does not come back by itself."""
    return Deleted(deleted=await memory.delete_profile(person, by=doer(asked.by, caller), space=space))


@router.post("/import", summary="Import a profile")
async def import_profile(person: PersonName, space: Writes, memory: Door, caller: Called, body: GivenFacts) -> Imported:
    """Facts that another memory had. Says how many are new; the same again changes nothing."""
    facts = [each if isinstance(each, str) else each.model_dump(exclude_none=True) for each in body.facts]
    return Imported(imported=await memory.import_profile(person, facts, by=doer(body.by, caller), space=space))


@router.get("/export", summary="Export a profile")
async def export_profile(person: PersonName, space: Reads, memory: Door) -> Exported:
    """All that is known about a person, the ended facts too, each with who said it, its notes and their messages."""
    return await memory.export_profile(person, space=space)
