"""Write the TypeScript client from the server's OpenAPI document: `python integrations/typescript/generate.py`.

The result is committed; a test compares. Chat routes are left out: the providers' own clients speak them.
"""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path
from typing import Any

import erstwhile
from erstwhile.http.app import create_app

TARGET = Path(__file__).parent / "client" / "src" / "generated.ts"
LEFT_OUT = ("chat",)
# Besides reading and setting: what a repeat doesn't do twice. Messages carry a key.
REPEATABLE = ("channel_add", "channel_edit", "channel_delete", "channel_context_of", "channel_known")
SCALARS = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}
HEAD = """\
// Written by integrations/typescript/generate.py from the OpenAPI document. Do not edit.

import { type Call, type Options, type ServerEvent, Transport } from "./transport.js";
"""

Json = dict[str, Any]


def document() -> Json:
    """Return the OpenAPI document of a server."""
    with tempfile.TemporaryDirectory() as folder:
        return create_app(erstwhile.open(f"{folder}/empty.db")).openapi()


def type_of(schema: Json) -> str:
    """Write a schema as a type."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    for word in ("anyOf", "oneOf"):
        if word in schema:
            return " | ".join(dict.fromkeys(type_of(each) for each in schema[word]))
    if "enum" in schema:
        return " | ".join(json.dumps(each) for each in schema["enum"])
    kind = schema.get("type")
    if kind == "array":
        return f"Array<{type_of(schema.get('items', {}))}>"
    if kind == "object" or "properties" in schema:
        return object_of(schema)
    return SCALARS.get(str(kind), "unknown")


def object_of(schema: Json) -> str:
    if "properties" not in schema:
        inner = schema.get("additionalProperties")
        return f"Record<string, {type_of(inner) if isinstance(inner, dict) and inner else 'unknown'}>"
    required = schema.get("required", ())
    fields = (field(name, each, name in required) for name, each in schema["properties"].items())
    return "{\n" + "".join(fields) + "}"


def field(name: str, schema: Json, required: bool, description: str = "") -> str:
    said = comment(description or str(schema.get("description") or ""), "  ")
    shown = name if re.fullmatch(r"\w+", name) else json.dumps(name)
    return f"{said}  {shown}{'' if required else '?'}: {type_of(schema)};\n"


def comment(text: str, indent: str = "") -> str:
    lines = text.replace("*/", "* /").strip().splitlines()
    if not lines:
        return ""
    if len(lines) == 1:
        return f"{indent}/** {lines[0]} */\n"
    return f"{indent}/**\n" + "".join(f"{indent} * {line}".rstrip() + "\n" for line in lines) + f"{indent} */\n"


def camel(name: str) -> str:
    first, *rest = re.split(r"[-_]", name)
    return first + "".join(each.capitalize() for each in rest)


class Operation:
    """One operation: a method of its resource."""

    def __init__(self, path: str, method: str, declared: Json) -> None:
        self.path, self.method, self.declared = path, method, declared
        self.tag, _, self.verb = declared["operationId"].partition("_")
        self.parameters = declared.get("parameters", [])
        self.body = declared.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")

    def answer(self) -> tuple[str, str]:
        """Return the kind of the answer and its type."""
        good = next(value for code, value in self.declared["responses"].items() if code.startswith("2"))
        content = good.get("content", {})
        if "text/event-stream" in content:
            return "events", "ServerEvent"
        if "application/x-ndjson" in content:
            return "lines", "Record<string, unknown>"
        if "application/zip" in content:
            return "bytes", "Uint8Array"
        if "text/plain" in content:
            return "text", "string"
        return ("json", type_of(content["application/json"]["schema"])) if content else ("nothing", "void")

    def named(self, place: str) -> list[str]:
        return [each["name"] for each in self.parameters if each["in"] == place]

    def own_parameters(self) -> str:
        """Write the parameters of path, query and headers; the space may be that of the client."""
        fields = "".join(
            field(
                camel(each["name"]) if each["in"] == "header" else each["name"],
                each["schema"],
                bool(each.get("required")) and each["name"] != "space",
                str(each.get("description") or ""),
            )
            for each in self.parameters
        )
        return "{\n" + fields + "}" if fields else ""

    def bodies(self) -> list[str]:
        """Write each form of the body, without what the path says already."""
        if self.body is None:
            return []
        forms = self.body.get("oneOf") or self.body.get("anyOf") or [self.body]
        taken = json.dumps(self.named("path"))[1:-1].replace(", ", " | ")
        written = (type_of(form) for form in forms if form.get("type") != "null")
        return [f"Omit<{form}, {taken}>" if taken else form for form in written]

    def signatures(self) -> list[tuple[str, str]]:
        """Return what it takes and what it returns: of several forms of a body each has its answer."""
        own, bodies = self.own_parameters(), self.bodies()
        kind, answer = self.answer()
        answers = answer.split(" | ") if len(bodies) > 1 else [answer]
        if len(answers) != max(1, len(bodies)):
            answers = [answer] * len(bodies)
        returned = [
            f"AsyncGenerator<{each}>" if kind in ("events", "lines") else f"Promise<{each}>" for each in answers
        ]
        return [
            (" & ".join(filter(None, (own, body))), each) for body, each in zip(bodies or [""], returned, strict=True)
        ]

    def optional(self) -> bool:
        needed = [each for each in self.parameters if each.get("required") and each["name"] != "space"]
        return not needed and self.body is None

    def call(self) -> str:
        described = {
            "method": self.method.upper(),
            "path": self.path,
            "query": self.named("query"),
            "headers": self.named("header"),
            "body": self.body is not None,
            "answer": self.answer()[0],
            "again": self.method in ("get", "put") or self.declared["operationId"] in REPEATABLE,
        }
        if self.declared["operationId"] == "channel_add":
            described["keyed"] = True
        return json.dumps(described)

    def written(self) -> str:
        name, default = camel(self.verb), " = {}" if self.optional() else ""
        lines = [comment(f"{self.declared.get('summary', '')}.\n{self.declared.get('description', '')}", "  ")]
        signatures = self.signatures()
        if len(signatures) > 1:
            lines += [f"  {name}(given: {takes}, options?: Options): {returns};\n" for takes, returns in signatures]
            takes = " | ".join(f"({each})" for each, _ in signatures)
            returns = "Promise<any>"
        else:
            ((takes, returns),) = signatures
        run = "stream" if "AsyncGenerator" in returns else "send"
        if not takes:
            lines.append(f"  {name}(options?: Options): {returns} {{\n    const given = {{}};\n")
        else:
            lines.append(f"  {name}(given: {takes}{default}, options?: Options): {returns} {{\n")
        lines.append(f"    return this.transport.{run}({self.call()} satisfies Call, given, options);\n  }}\n")
        return "".join(lines)


def client(api: Json) -> str:
    """Write the whole file."""
    parts = [HEAD]
    for name, schema in api["components"]["schemas"].items():
        shape = type_of(schema)
        kept = f"export interface {name} {shape}\n" if shape.startswith("{") else f"export type {name} = {shape};\n"
        parts.append(comment(str(schema.get("description") or "")) + kept)
    operations = [
        Operation(path, method, declared)
        for path, methods in api["paths"].items()
        for method, declared in methods.items()
    ]
    resources: dict[str, list[Operation]] = {}
    for each in operations:
        if each.tag not in LEFT_OUT:
            resources.setdefault(each.tag, []).append(each)
    for tag, members in resources.items():
        parts.append(
            f"export class {tag.capitalize()}Resource {{\n"
            "  constructor(private readonly transport: Transport) {}\n\n"
            + "\n".join(each.written() for each in members)
            + "}\n"
        )
    fields = "".join(f"  readonly {tag}: {tag.capitalize()}Resource;\n" for tag in resources)
    made = "".join(f"    this.{tag} = new {tag.capitalize()}Resource(transport);\n" for tag in resources)
    parts.append(
        comment("The resources of a server; each method is one operation of its API.")
        + f"export class Resources {{\n{fields}\n  constructor(transport: Transport) {{\n{made}  }}\n}}\n"
    )
    return "\n".join(parts)


if __name__ == "__main__":
    TARGET.write_text(client(document()), encoding="utf-8")
