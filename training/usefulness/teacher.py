"""The teacher: all-MiniLM-L6-v2, trained further to tell useful facts."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

LAYERS, HEADS, WIDTH = 6, 12, 384
EPOCHS: Final = 3
BATCH: Final = 32
RATE: Final = 6e-5
DROPPED: Final = 0.1


def weights(file: Path) -> dict[str, Tensor]:
    """Read what `training/vectors/teacher.py` wrote: bytes with a scale, or plain numbers."""
    stored = np.load(file)
    found: dict[str, Tensor] = {}
    for name in stored.files:
        base, _, kind = name.rpartition(".")
        if kind == "bytes":
            found[f"{base}.weight"] = torch.tensor(stored[name].astype(np.float32) * stored[f"{base}.scale"])
        elif kind in ("weight", "bias"):
            found[name] = torch.tensor(stored[name].astype(np.float32))
    return found


class Teacher(nn.Module):
    def __init__(self, start: dict[str, Tensor]) -> None:
        super().__init__()
        self.weights = nn.ParameterDict(
            {name.replace(".", "/"): nn.Parameter(each.clone()) for name, each in start.items()}
        )
        self.score = nn.Linear(2 * WIDTH, 1)
        self.drop = nn.Dropout(DROPPED)

    def _of(self, name: str) -> Tensor:
        return self.weights[name.replace(".", "/")]

    def _dense(self, hidden: Tensor, name: str) -> Tensor:
        return hidden @ self._of(f"{name}.weight") + self._of(f"{name}.bias")

    def _norm(self, hidden: Tensor, name: str) -> Tensor:
        scale, shift = self._of(f"{name}.weight"), self._of(f"{name}.bias")
        return functional.layer_norm(hidden, (WIDTH,), scale, shift, 1e-12)

    def forward(self, tokens: Tensor, inside: Tensor) -> Tensor:
        texts, length = tokens.shape
        hidden = self._of("embeddings.word_embeddings.weight")[tokens]
        hidden = hidden + self._of("embeddings.position_embeddings.weight")[:length]
        hidden = hidden + self._of("embeddings.token_type_embeddings.weight")[0]
        hidden = self.drop(self._norm(hidden, "embeddings.LayerNorm"))
        for layer in range(LAYERS):
            at = f"encoder.layer.{layer}"
            asked = [
                self._dense(hidden, f"{at}.attention.self.{part}").view(texts, length, HEADS, -1).transpose(1, 2)
                for part in ("query", "key", "value")
            ]
            dropped = DROPPED if self.training else 0.0
            seen = functional.scaled_dot_product_attention(*asked, attn_mask=inside[:, None, None], dropout_p=dropped)
            seen = self._dense(seen.transpose(1, 2).reshape(texts, length, WIDTH), f"{at}.attention.output.dense")
            hidden = self._norm(hidden + self.drop(seen), f"{at}.attention.output.LayerNorm")
            wide = functional.gelu(self._dense(hidden, f"{at}.intermediate.dense"))
            hidden = self._norm(hidden + self.drop(self._dense(wide, f"{at}.output.dense")), f"{at}.output.LayerNorm")
        mean = (hidden * inside[..., None]).sum(1) / inside.sum(1, keepdim=True)
        return self.score(self.drop(torch.cat([hidden[:, 0], mean], 1)))[:, 0]


class Tokens:
    """The texts as the teacher reads them."""

    def __init__(self, prepared: dict[str, np.ndarray], device: str) -> None:
        self._tokens, self._device = prepared["tokens"].astype(np.int64), device
        self.lengths = prepared["token_lengths"]
        self._starts = np.cumsum(self.lengths) - self.lengths

    def batch(self, chosen: np.ndarray) -> tuple[Tensor, Tensor]:
        places = np.arange(self.lengths[chosen].max())[None]
        inside = places < self.lengths[chosen][:, None]
        tokens = np.where(inside, self._tokens[np.where(inside, self._starts[chosen][:, None] + places, 0)], 0)
        return torch.tensor(tokens).to(self._device), torch.tensor(inside).to(self._device)


def taught(
    start: dict[str, Tensor], tokens: Tokens, chosen: np.ndarray, useful: Tensor, weight: Tensor, seed: int
) -> Teacher:
    torch.manual_seed(seed)
    order = np.random.default_rng(seed)
    model = Teacher(start).to(useful.device).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.01)
    steps = EPOCHS * -(-len(chosen) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps, pct_start=0.1)
    for _ in range(EPOCHS):
        shuffled = order.permutation(chosen)
        for at in range(0, len(shuffled), BATCH):
            batch = shuffled[at : at + BATCH]
            with torch.autocast(useful.device.type, torch.bfloat16):
                scores = model(*tokens.batch(batch))
            loss = functional.binary_cross_entropy_with_logits(scores.float(), useful[batch], weight=weight[batch])
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
    return model.eval()


@torch.inference_mode()
def judged(model: Teacher, tokens: Tokens) -> np.ndarray:
    found = np.zeros(len(tokens.lengths), dtype=np.float32)
    order = np.argsort(tokens.lengths, kind="stable")
    for at in range(0, len(order), 2048):
        batch = order[at : at + 2048]
        with torch.autocast(next(model.parameters()).device.type, torch.bfloat16):
            found[batch] = model(*tokens.batch(batch)).float().cpu().numpy()
    return found
