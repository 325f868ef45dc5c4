"""`memory.events`: watch the changes in a space."""

from __future__ import annotations

from erstwhile.api.resource import Resource
from erstwhile.events.feed import Watch


class Events(Resource, noun="events"):
    def watch(self, *, space: str | None = None, after: str | None = None) -> Watch:
        """Watch the changes in a space, from now on or after the cursor of an event, until the
        memory closes."""
        return self._runtime.feed.watch(self._space(space), after)
