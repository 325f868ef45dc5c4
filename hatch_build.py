"""Copy into the wheel what it carries of wordllama: word vectors, their vocabulary, and its licence.

They are read by `erstwhile.embedders.wordllama`. As a dependency, wordllama would bring 21 packages
and 75 MB that nothing imports. An editable install gets the copy too, in a folder that git ignores.
"""

from __future__ import annotations

import shutil
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

COPY = Path("src", "erstwhile", "embedders", "wordllama_files")
FILES = (Path("weights", "l2_supercat_256.safetensors"), Path("tokenizers", "l2_supercat_tokenizer_config.json"))


class CopyVectors(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        del version
        found = find_spec("wordllama")
        if found is None or not found.submodule_search_locations:
            return  # no wheels of it for this Python: there are no vectors by default
        package, copy = Path(found.submodule_search_locations[0]), Path(self.root) / COPY
        licences = [
            Path(str(each.locate())) for each in distribution("wordllama").files or () if "LICENSE" in each.name
        ]
        for source, target in [*((package / name, name) for name in FILES), *((each, "LICENSE") for each in licences)]:
            (copy / target).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, copy / target)
        build_data["artifacts"].append(f"/{COPY.as_posix()}/")
