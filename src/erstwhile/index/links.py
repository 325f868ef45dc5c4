"""Who stands beside whom: each message's neighbours in its channel, and the sessions they are in."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from erstwhile.base.records import dataclass
from erstwhile.index.columns import Columns

QUIET = (
    25 * 60 * 1_000_000
)  # quiet that ends a conversation: what comes after it belongs to another session
_NONE = -1


@dataclass(frozen=True, slots=True)
class Order:
    """Places by channel, and within a channel as they were said; those of the n-th channel are
    `places[starts[n]:starts[n + 1]]`. `sessions` is the largest number of a session."""

    places: NDArray[np.int32]
    channels: NDArray[np.int32]
    starts: NDArray[np.int32]
    sessions: int = 0

    @classmethod
    def of(cls, places: NDArray[Any], channels: NDArray[Any], sessions: int = 0) -> Order:
        """`channels`: of each place."""
        found, starts = np.unique(channels, return_index=True)
        ends = np.append(starts, len(places))
        return cls(places.astype(np.int32), found.astype(np.int32), ends.astype(np.int32), sessions)

    def of_channel(self, code: int) -> NDArray[np.int32]:
        at = int(self.channels.searchsorted(code))
        if at == len(self.channels) or self.channels[at] != code:
            return self.places[:0]
        return self.places[self.starts[at] : self.starts[at + 1]]


class Links:
    """Keeps the columns `before`, `after` and `session` of messages."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._orders: list[Order] = []
        self._open: dict[int, list[int]] = {}  # of each channel, the places that are in no order
        self._last = np.empty(0, np.int32)  # of each channel, its last message
        self._sessions = 0

    def use(self, order: Order) -> None:
        """Use an order whose messages are linked already, as the first."""
        self._orders, self._sessions = [order], order.sessions
        self._set_last(order.channels, order.places[order.starts[1:] - 1])

    def add(self, first: int) -> None:
        """Link the messages from a place on."""
        columns = self._columns
        new = np.arange(first, columns.length)
        order = new[np.lexsort((columns["seq"][new], columns["channel"][new]))]
        if self._link(order):
            for place, channel in zip(
                order.tolist(), columns["channel"][order].tolist(), strict=True
            ):
                self._open.setdefault(channel, []).append(place)

    def add_order(self, places: NDArray[Any]) -> None:
        """Link messages that are in order by channel and as they were said."""
        if len(places) and self._link(places):
            self._orders.append(Order.of(places, self._columns["channel"][places]))

    def link_all(self) -> None:
        """Link all messages anew."""
        there = np.flatnonzero(self._columns["alive"])
        self._orders, self._open, self._sessions = [], {}, 0
        self._last = np.empty(0, np.int32)
        order = there[np.lexsort((self._columns["seq"][there], self._columns["channel"][there]))]
        self.add_order(order)

    def drop(self, place: int) -> None:
        """Link the neighbours of a message that is gone to each other. A session may fall into two."""
        columns = self._columns
        before, after, sessions = columns["before"], columns["after"], columns["session"]
        left, right = int(before[place]), int(after[place])
        if left != _NONE:
            after[left] = right
        if right == _NONE:
            self._last[columns["channel"][place]] = left
            return
        before[right] = left
        if left == _NONE or sessions[left] != sessions[right]:
            return
        if columns["at"][right] - columns["at"][left] > QUIET:
            self._sessions += 1
            old = sessions[right]
            while right != _NONE and sessions[right] == old:
                sessions[right] = self._sessions
                right = int(after[right])

    def said_in(self, channel: int, alive: NDArray[np.int8] | None) -> MessagesOfChannel:
        """Return the messages of a channel; with `alive`, without those that are gone."""
        lines: list[Sequence[int] | NDArray[np.int32]] = [
            order.of_channel(channel) for order in self._orders
        ]
        lines.append(self._open.get(channel, ()))
        return MessagesOfChannel([line for line in lines if len(line)], self._columns["seq"], alive)

    def _link(self, order: NDArray[Any]) -> bool:
        """Link messages to each other and to the last ones of their channels. If one comes too late for that, as when
        documents are made anew, all are linked anew; then it returns False."""
        columns = self._columns
        channels, ats, seqs = columns["channel"][order], columns["at"][order], columns["seq"]
        same = channels[1:] == channels[:-1]
        heads = np.flatnonzero(np.concatenate([[True], ~same]))
        tails = np.append(heads[1:], len(order)) - 1
        last = self._last_of(channels[heads])
        old = last != _NONE
        if bool((seqs[last[old]] > seqs[order[heads[old]]]).any()):
            self.link_all()
            return False
        before = np.concatenate([[_NONE], order[:-1]])
        before[heads] = last
        columns["before"][order] = before
        columns["after"][order] = np.where(
            np.concatenate([same, [False]]), np.append(order[1:], _NONE), _NONE
        )
        columns["after"][last[old]] = order[heads[old]]
        earlier = np.concatenate([[0], ats[:-1]])
        earlier[heads[old]] = columns["at"][last[old]]
        breaks = ats - earlier > QUIET
        breaks[heads[~old]] = True
        breaks[heads[old]] = True  # for now, to be counted apart
        numbers = np.cumsum(breaks) + self._sessions
        going_on = heads[old][ats[heads[old]] - earlier[heads[old]] <= QUIET]
        names = np.arange(self._sessions, numbers[-1] + 1)
        names[numbers[going_on] - self._sessions] = columns["session"][before[going_on]]
        columns["session"][order] = names[numbers - self._sessions]
        self._sessions = int(numbers[-1])
        self._set_last(channels[heads], order[tails])
        return True

    def _last_of(self, channels: NDArray[Any]) -> NDArray[np.int64]:
        known = channels < len(self._last)
        return np.where(
            known, self._last[np.where(known, channels, 0)] if len(self._last) else _NONE, _NONE
        )

    def _set_last(self, channels: NDArray[Any], places: NDArray[Any]) -> None:
        most = int(channels.max(initial=-1)) + 1
        if most > len(self._last):
            more = np.full(most - len(self._last), _NONE, np.int32)
            self._last = np.concatenate([self._last, more])
        self._last[channels] = places


class MessagesOfChannel:
    """Where the messages of one channel are, in some lines, each as they were said."""

    def __init__(
        self,
        lines: Sequence[Sequence[int] | NDArray[np.int32]],
        seqs: NDArray[np.int32],
        alive: NDArray[np.int8] | None,
    ) -> None:
        self._lines = [(line, int(seqs[line[0]])) for line in lines]
        self._seqs, self._alive = seqs, alive

    def between(self, first: int, last: int) -> list[int]:
        """Return the places of the messages `first` to `last`."""
        found: list[int] = []
        for line, start in self._lines:
            low, high = self._reach(line, start, first), self._reach(line, start, last + 1)
            part = line[low:high]
            found += part.tolist() if isinstance(part, np.ndarray) else part
        return found if self._alive is None else [place for place in found if self._alive[place]]

    def _reach(self, line: Sequence[int] | NDArray[np.int32], start: int, wanted: int) -> int:
        """Return how many of a line come before number `wanted`: as a rule none is missing."""
        seqs, guess = self._seqs, wanted - start
        if 0 < guess < len(line) and seqs[line[guess]] == wanted:
            return guess
        return bisect_left(line, wanted, key=lambda place: int(seqs[place]))
