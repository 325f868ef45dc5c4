"""List what an installation consists of, as CycloneDX JSON: `python deploy/sbom.py [extra …] > erstwhile.cdx.json`.

Reads the environment it runs in: erstwhile and, for the named extras, everything it needs, with versions and licences. The
same environment gives the same file: it has no time and no serial number.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from typing import Any

_NEED = re.compile(r"(?P<name>[A-Za-z0-9._-]+)\s*(\[(?P<extras>[^]]*)\])?[^;]*(;(?P<marker>.*))?")


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def closure(extras: Sequence[str]) -> dict[str, tuple[Distribution, set[str]]]:
    """Return each installed package with the packages it needs, by name."""
    found: dict[str, tuple[Distribution, set[str]]] = {}
    seen: set[tuple[str, frozenset[str]]] = set()
    waiting = [("erstwhile", frozenset(extras))]
    while waiting:
        name, wanted = waiting.pop()
        if (name, wanted) in seen:
            continue
        seen.add((name, wanted))
        try:
            package = distribution(name)
        except PackageNotFoundError:
            continue  # for another system or Python: not part of this installation
        needs = found.setdefault(name, (package, set()))[1]
        for need, extra in _needs(package, wanted):
            needs.add(need)
            waiting.append((need, extra))
    for _, needs in found.values():
        needs.intersection_update(found)
    return dict(sorted(found.items()))


def _needs(package: Distribution, extras: frozenset[str]) -> list[tuple[str, frozenset[str]]]:
    """Return what a package needs with these extras. What is not installed here is left out later."""
    found = []
    for line in package.requires or ():
        need = _NEED.match(line)
        of = re.search(r"extra\s*==\s*['\"]([^'\"]+)", line)
        if need is not None and (of is None or of[1] in extras):
            more = frozenset(each.strip() for each in (need["extras"] or "").split(",") if each.strip())
            found.append((_plain(need["name"]), more))
    return found


def _component(name: str, package: Distribution) -> dict[str, Any]:
    about = package.metadata
    licence = about.get("License-Expression") or about.get("License") or ""
    told = {"type": "library", "name": name, "version": package.version, "purl": _purl(name, package)}
    told["bom-ref"] = told["purl"]
    short = licence.strip().partition("\n")[0]
    return told | ({"licenses": [{"license": {"name": short}}]} if 0 < len(short) < 100 else {})


def _purl(name: str, package: Distribution) -> str:
    return f"pkg:pypi/{name}@{package.version}"


def bill(extras: Sequence[str]) -> dict[str, Any]:
    found = closure(extras)
    refs = {name: _purl(name, package) for name, (package, _) in found.items()}
    itself = _component("erstwhile", found["erstwhile"][0]) | {"type": "application"}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": itself},
        "components": [_component(name, package) for name, (package, _) in found.items() if name != "erstwhile"],
        "dependencies": [
            {"ref": refs[name], "dependsOn": sorted(refs[need] for need in needs)} for name, (_, needs) in found.items()
        ],
    }


if __name__ == "__main__":
    json.dump(bill(sys.argv[1:] or ["all"]), sys.stdout, indent=2)
    sys.stdout.write("\n")
