"""The Discord side of the port, with an unmodified discord.py and a Discord on loopback."""

from __future__ import annotations

from listening import connected

from erstwhile.platforms.port import Gone, Missed, Moved, Place, Retracted, Revised, Said
from erstwhile.testing.discord import DiscordServer


async def test_what_happens_in_a_server_is_heard_in_order() -> None:
    async with DiscordServer() as discord:
        general, kim = discord.channel("general"), discord.person("Kim", nick="Kimmy")
        async with connected(discord) as heard:
            first = discord.post(general, kim, "hello")
            discord.edit(general, first, "hello there")
            second = discord.post(general, kim, "again")
            discord.delete(general, first)
            thread = discord.create_thread(general, "plans", kim)
            third = discord.post(thread, kim, f"<@{discord.bot}> when?")
            discord.rename(general, "lobby")
            discord.bulk_delete(general, [second])
            discord.delete_channel(thread)
            await heard.next(Gone)
            space = f"discord:{discord.world.guild}"
            place = Place(space, general, "general", open=True)
            inside = Place(space, thread, "plans", open=True, parent=general)
            assert [type(each) for each in heard.events] == [
                Missed, Said, Revised, Said, Retracted, Moved, Said, Moved, Retracted, Gone,
            ]  # fmt: skip
            said = heard.of(Said)
            assert (said[0].place, said[0].key, said[0].person, said[0].name) == (place, f"discord:{first}", kim, "Kimmy")
            assert [each.text for each in said] == ["hello", "again", f"<@{discord.bot}> when?"]
            assert [each.addressed for each in said] == [False, False, True]
            assert said[2].key == f"discord:{third}"
            assert said[2].place == inside
            assert heard.of(Revised)[0].text == "hello there"
            assert [each.keys for each in heard.of(Retracted)] == [(f"discord:{first}",), (f"discord:{second}",)]
            assert heard.of(Moved)[1].place.title == "lobby"
            assert heard.of(Gone)[0].place == inside
