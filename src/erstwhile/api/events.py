"""`memory.events`: what changes in a space, as it changes."""

from __future__ import annotations

from erstwhile.api.resource import Resource
from erstwhile.events.feed import Watch


class Events(Resource, noun="events"):
    def watch(self, *, space: str | None = None, after: str | None = None) -> Watch:
        """Watch what changes in a space, whoever changes it, from now on or after the cursor of an event; without end until the memory
        closes."""
        return self._runtime.feed.watch(self._space(space), after)
