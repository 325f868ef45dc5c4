"""The Helm chart, linted and rendered by the real helm: what comes out is what a cluster would be given."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from erstwhile.base.settings import described, variable
from erstwhile.cli.app import ALL

ROOT = Path(__file__).parents[2]
HELM = ROOT / ".venv-integrations" / "helm" / "bin" / "helm"
CHART = ROOT / "deploy" / "helm" / "erstwhile"
SETTINGS = {variable(name) for name in described()}
ON_POSTGRES = ("postgres.enabled=true", "existingSecret=memory", "hosts={memory.example.com}", "ingress.enabled=true")

Json = dict[str, Any]


def helm(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([HELM, *words], capture_output=True, text=True, timeout=60)


def rendered(*values: str, name: str = "chat") -> list[Json]:
    chosen = [word for each in values for word in ("--set", each)]
    done = helm("template", name, str(CHART), *chosen)
    assert done.returncode == 0, done.stderr
    return [each for each in yaml.safe_load_all(done.stdout) if each]


def by_kind(documents: list[Json], kind: str) -> list[Json]:
    return [each for each in documents if each["kind"] == kind]


def pods(documents: list[Json]) -> list[Json]:
    return [each["spec"]["template"] for each in documents if "template" in each.get("spec", {})]


@pytest.mark.parametrize("values", [(), ON_POSTGRES], ids=["sqlite", "postgres"])
def test_it_is_linted(values: tuple[str, ...]) -> None:
    done = helm("lint", "--strict", str(CHART), *(word for each in values for word in ("--set", each)))
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("values", [(), ON_POSTGRES], ids=["sqlite", "postgres"])
def test_every_pod_is_closed_and_runs_a_command_that_exists(values: tuple[str, ...]) -> None:
    documents = rendered(*values)
    assert len(pods(documents)) == (3 if values else 1)
    for pod in pods(documents):
        spec = pod["spec"]
        assert spec["securityContext"]["runAsNonRoot"] is True
        assert spec["enableServiceLinks"] is False, "a service named erstwhile would be a setting"
        assert spec["automountServiceAccountToken"] is False
        (container,) = spec["containers"]
        assert container["args"][0] in ALL
        assert container["image"] == "erstwhile:0.1.0"
        assert container["securityContext"]["readOnlyRootFilesystem"] is True
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
        named = {each["name"] for each in container["env"]} - {"MIGRATE_DATABASE"}
        assert named <= SETTINGS
        mounted = {each["name"] for each in container["volumeMounts"]}
        claims = [claim for each in documents for claim in each["spec"].get("volumeClaimTemplates", [])]
        assert mounted == {each["name"] for each in spec["volumes"]} | {each["metadata"]["name"] for each in claims}


@pytest.mark.parametrize("values", [(), ON_POSTGRES], ids=["sqlite", "postgres"])
def test_the_service_finds_the_servers_and_nothing_else(values: tuple[str, ...]) -> None:
    documents = rendered(*values)
    (service,) = by_kind(documents, "Service")
    wanted = service["spec"]["selector"].items()
    found = [pod["spec"]["containers"][0] for pod in pods(documents) if wanted <= pod["metadata"]["labels"].items()]
    assert [each["name"] for each in found] == ["server"]
    assert [each["name"] for each in found[0]["ports"]] == [service["spec"]["ports"][0]["targetPort"]]
    assert found[0]["readinessProbe"]["httpGet"]["path"] == "/readyz"
    for each in documents:
        if "selector" in each["spec"] and "template" in each["spec"]:
            labels = each["spec"]["template"]["metadata"]["labels"]
            assert each["spec"]["selector"]["matchLabels"].items() <= labels.items()


def test_on_postgres_only_the_migration_is_the_owner_of_the_tables() -> None:
    documents = rendered(*ON_POSTGRES, "server.replicas=3", "settings.ERSTWHILE_MODEL=openai:gpt-5-mini")
    counts = {each["metadata"]["name"]: each["spec"]["replicas"] for each in by_kind(documents, "Deployment")}
    assert counts == {"chat-erstwhile-server": 3, "chat-erstwhile-worker": 1}
    (job,) = by_kind(documents, "Job")
    assert "pre-upgrade" in job["metadata"]["annotations"]["helm.sh/hook"]
    for pod in pods(documents):
        (container,) = pod["spec"]["containers"]
        environment = {each["name"]: each for each in container["env"]}
        key = environment["ERSTWHILE_DATABASE"]["valueFrom"]["secretKeyRef"]["key"]
        assert key == ("MIGRATE_DATABASE" if container["name"] == "migrate" else "ERSTWHILE_DATABASE")
        if container["name"] != "migrate":
            assert environment["MIGRATE_DATABASE"]["value"] == "", "hidden from what the secret has"
            assert environment["ERSTWHILE_MODEL"]["value"] == "openai:gpt-5-mini"
            assert environment["ERSTWHILE_HOSTS"]["value"] == "memory.example.com"
    (ingress,) = by_kind(documents, "Ingress")
    assert [rule["host"] for rule in ingress["spec"]["rules"]] == ["memory.example.com"]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (("postgres.enabled=true",), "needs existingSecret"),
        (("ingress.enabled=true",), "ingress.enabled needs hosts"),
        (("server.replica=2",), "replica"),
        (("settings.lower=1",), "lower"),
    ],
)
def test_values_that_cannot_be_right_are_refused(values: tuple[str, ...], words: str) -> None:
    done = helm("template", "chat", str(CHART), *(word for each in values for word in ("--set", each)))
    assert done.returncode != 0
    assert words in done.stderr


def test_the_version_is_that_of_the_package() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    assert f'version = "{chart["appVersion"]}"' in (ROOT / "pyproject.toml").read_text()


def test_the_notes_name_pods_that_can_run() -> None:
    """helm renders them when it lints; here the pods in them are read, with any word for what is filled in."""
    notes = re.sub(r"\{\{.*?\}\}(?!\})", "x", (CHART / "templates" / "NOTES.txt").read_text())
    found = re.findall(r"--overrides='(.+?)'", notes, flags=re.DOTALL)
    assert len(found) == 2
    for each in found:
        (container,) = json.loads(each)["spec"]["containers"]
        assert container["args"] == ["keys", "create", "--admin"]
