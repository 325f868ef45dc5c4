"""The student: the network that the package carries. `erstwhile/writers/extractive/network.py` computes the same."""

from __future__ import annotations

from typing import Final

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

WIDTH, LAYERS, HEADS, WIDE, MIDDLE = 64, 2, 4, 128, 64
LONGEST: Final = 60
OWN: Final = 6000  # pieces that get numbers of their own
FEWEST: Final = 3  # times that such a piece must come
EPOCHS: Final = 10
BATCH: Final = 256
RATE: Final = 1.5e-3
DROPPED: Final = 0.2


class Pieces:
    """The texts as the student reads them. A piece is a place in `vectors`, whose last rows are of marks: zeros."""

    def __init__(self, prepared: dict[str, np.ndarray], device: str) -> None:
        words, numbers = prepared["words"], prepared["pieces"]
        marks = -int(numbers.min())
        self.numbers = np.concatenate([words, -1 - np.arange(marks)])
        places = np.where(numbers >= 0, np.searchsorted(words, numbers), len(words) - 1 - numbers)
        vectors = prepared["vectors"].astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors = np.concatenate([vectors, np.zeros((marks + 1, vectors.shape[1]), np.float32)])
        self.places, self.nothing, self._device = places, len(self.numbers), device
        self.vectors = torch.tensor(vectors).to(device)
        self._flags = prepared["flags"].astype(np.float32)
        self.lengths = prepared["lengths"]
        self.starts = np.cumsum(self.lengths) - self.lengths

    def batch(self, chosen: np.ndarray) -> tuple[Tensor, Tensor, Tensor]:
        within = np.arange(self.lengths[chosen].max())[None]
        inside = within < self.lengths[chosen][:, None]
        at = np.where(inside, self.starts[chosen][:, None] + within, 0)
        places = np.where(inside, self.places[at], self.nothing)
        flags = np.where(inside[..., None], self._flags[at], 0)
        given = (torch.tensor(each).to(self._device) for each in (places, flags, inside))
        return next(given), next(given), next(given)

    def common(self, chosen: np.ndarray) -> np.ndarray:
        """The commonest pieces of some texts, by place."""
        every = np.concatenate(
            [self.places[self.starts[each] : self.starts[each] + self.lengths[each]] for each in chosen]
        )
        counted = np.bincount(every, minlength=self.nothing)
        most = np.argsort(-counted)[:OWN]
        return most[counted[most] >= FEWEST]


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.attention, self.joined = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.wide, self.narrow = nn.Linear(WIDTH, WIDE), nn.Linear(WIDE, WIDTH)
        self.drop = nn.Dropout(DROPPED)

    def forward(self, hidden: Tensor, inside: Tensor) -> Tensor:
        texts, pieces, _ = hidden.shape
        asked = self.attention(self.first(hidden)).view(texts, pieces, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        dropped = DROPPED if self.training else 0.0
        seen = functional.scaled_dot_product_attention(*asked, attn_mask=inside[:, None, None], dropout_p=dropped)
        hidden = hidden + self.drop(self.joined(seen.transpose(1, 2).reshape(texts, pieces, WIDTH)))
        return hidden + self.drop(self.narrow(self.drop(torch.relu(self.wide(self.second(hidden))))))


class Student(nn.Module):
    def __init__(self, vectors: Tensor, common: np.ndarray) -> None:
        super().__init__()
        own = torch.zeros(len(vectors), dtype=torch.long)
        own[common] = torch.arange(len(common)) + 1
        self.register_buffer("vectors", vectors, persistent=False)
        self.register_buffer("owned", own, persistent=False)
        self.words = nn.Linear(vectors.shape[1], WIDTH, bias=False)
        self.flags = nn.Linear(4, WIDTH, bias=False)
        self.own = nn.Embedding(len(common) + 1, WIDTH, padding_idx=0)
        nn.init.normal_(self.own.weight[1:].data, 0, 0.05)
        self.positions = nn.Parameter(torch.randn(LONGEST, WIDTH) * 0.05)
        self.start = nn.LayerNorm(WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.middle, self.score = nn.Linear(2 * WIDTH, MIDDLE), nn.Linear(MIDDLE, 1)
        self.drop = nn.Dropout(DROPPED)

    def forward(self, places: Tensor, flags: Tensor, inside: Tensor) -> Tensor:
        hidden = self.words(self.vectors[places]) + self.own(self.owned[places]) + self.flags(flags)
        hidden = self.drop(self.start(hidden + self.positions[: places.shape[1]]))
        for layer in self.layers:
            hidden = layer(hidden, inside)
        mean = (hidden * inside[..., None]).sum(1) / inside.sum(1, keepdim=True)
        most = hidden.masked_fill(~inside[..., None], -1e4).amax(1)
        middle = torch.relu(self.middle(self.drop(torch.cat([mean, most], 1))))
        return self.score(middle)[:, 0]


def taught(pieces: Pieces, chosen: np.ndarray, useful: Tensor, weight: Tensor, seed: int = 0) -> Student:
    torch.manual_seed(seed)
    order = np.random.default_rng(seed)
    model = Student(pieces.vectors, pieces.common(chosen)).to(useful.device).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.02)
    steps = EPOCHS * -(-len(chosen) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps, pct_start=0.15)
    for _ in range(EPOCHS):
        shuffled = order.permutation(chosen)
        for at in range(0, len(shuffled), BATCH):
            batch = shuffled[at : at + BATCH]
            scores = model(*pieces.batch(batch))
            loss = functional.binary_cross_entropy_with_logits(scores, useful[batch], weight=weight[batch])
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
    return model.eval()


@torch.inference_mode()
def judged(model: Student, pieces: Pieces, chosen: np.ndarray) -> np.ndarray:
    found = np.zeros(len(chosen), dtype=np.float32)
    order = np.argsort(pieces.lengths[chosen], kind="stable")
    for at in range(0, len(order), 4096):
        batch = order[at : at + 4096]
        found[batch] = model(*pieces.batch(chosen[batch])).cpu().numpy()
    return found


def packed(model: Student, pieces: Pieces) -> dict[str, np.ndarray]:
    """The arrays of the package's file. What a dense layer adds is the last row of its matrix."""
    found: dict[str, Tensor] = {
        "words": model.words.weight.T,
        "flags": model.flags.weight.T,
        "own": model.own.weight,
        "positions": model.positions,
    }
    named = dict(model.named_modules())
    for name, module in named.items():
        short = name.removeprefix("layers.")
        if isinstance(module, nn.LayerNorm):
            found[f"{short}.norm"] = torch.stack([module.weight, module.bias])
        elif isinstance(module, nn.Linear) and module.bias is not None:
            found[short] = torch.cat([module.weight.T, module.bias[None]])
    owned = model.owned.cpu().numpy()
    common = np.argsort(owned, kind="stable")[len(owned) - int(owned.max()) :]
    arrays = {name: each.detach().cpu().numpy().astype(np.float16) for name, each in found.items()}
    return arrays | {"numbers": pieces.numbers[common].astype(np.int32)}
