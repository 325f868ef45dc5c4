"""The TypeScript client is written from the API as it is; `make test-integrations ONLY=typescript` runs it."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[2]


def generator() -> ModuleType:
    path = ROOT / "integrations" / "typescript" / "generate.py"
    spec = importlib.util.spec_from_file_location("generate_typescript", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_the_client_is_current() -> None:
    made = generator()
    again = "run `python integrations/typescript/generate.py`"
    assert made.TARGET.read_text(encoding="utf-8") == made.client(made.document()), again


def test_every_shape_becomes_a_type() -> None:
    made = generator().type_of
    assert made({"anyOf": [{"type": "string"}, {"type": "null"}]}) == "string | null"
    assert made({"type": "array", "items": {"$ref": "#/components/schemas/Hit"}}) == "Array<Hit>"
    assert made({"enum": ["a", "b"], "type": "string"}) == '"a" | "b"'
    assert made({"type": "object", "additionalProperties": {"type": "integer"}}) == "Record<string, number>"
    shape = {"properties": {"a": {"type": "boolean"}, "b-c": {}}, "required": ["a"]}
    assert made(shape) == '{\n  a: boolean;\n  "b-c"?: unknown;\n}'
