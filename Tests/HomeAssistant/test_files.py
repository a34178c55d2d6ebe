"""The files that Home Assistant reads beside the code."""

import json
import pathlib
import re

import pytest
import yaml

INTEGRATION = pathlib.Path(__file__).resolve().parents[2] / "integrations/homeassistant/custom_components/trolley"
CODE = "\n".join(path.read_text() for path in sorted(INTEGRATION.rglob("*.py")))
ENGLISH = json.loads((INTEGRATION / "translations/en.json").read_text())


def keys(value, path=()):
    """The paths of all texts."""
    if isinstance(value, dict):
        return {each for key, inner in value.items() for each in keys(inner, (*path, key))}
    return {path}


def texts(value):
    return [each for inner in value.values() for each in texts(inner)] if isinstance(value, dict) else [value]


def test_german_has_each_text():
    german = json.loads((INTEGRATION / "translations/de.json").read_text())
    assert keys(german) == keys(ENGLISH)
    for path in keys(ENGLISH):
        english, translated = ENGLISH, german
        for key in path:
            english, translated = english[key], translated[key]
        assert set(re.findall(r"\{\w+\}", english)) == set(re.findall(r"\{\w+\}", translated)), path
        assert english != translated or english in ("Home Assistant",), path


@pytest.mark.parametrize(("pattern", "section"), [
    (r'translation_key="(\w+)"', None),
    (r'reason="(\w+)"|"(\w+_successful)"', "abort"),
    (r'\{(?:CONF_\w+|"base"): "(\w+)"\}', "config.error"),
])
def test_each_text_of_the_code_is_there(pattern, section):
    """For a message that shows as a key."""
    used = {group for groups in re.findall(pattern, CODE) for group in ([groups] if isinstance(groups, str) else groups) if group}
    assert used
    if section:
        known = {"abort": ENGLISH["issues"]["changes_refused"]["fix_flow"]["abort"] | ENGLISH["config"]["abort"], **ENGLISH}
        for key in section.split("."):
            known = known[key]
    else:
        known = {**ENGLISH["exceptions"], **ENGLISH["issues"], "list": None,
                 **{key: None for domain in ENGLISH["entity"].values() for key in domain}}
    assert used <= set(known), used - set(known)


def test_actions_are_described():
    actions = yaml.safe_load((INTEGRATION / "services.yaml").read_text())
    icons = json.loads((INTEGRATION / "icons.json").read_text())["services"]
    assert set(actions) == set(ENGLISH["services"]) == set(icons)
    for name, action in actions.items():
        assert set(action.get("fields", {})) == set(ENGLISH["services"][name].get("fields", {}))


# As script/hassfest/quality_scale.py of home-assistant/core has them in 2026.
RULES = {
    "bronze": "action-setup appropriate-polling brands common-modules config-flow config-flow-test-coverage dependency-transparency "
              "docs-actions docs-conditions docs-high-level-description docs-installation-instructions docs-removal-instructions "
              "docs-triggers entity-event-setup entity-unique-id has-entity-name runtime-data test-before-configure test-before-setup "
              "unique-config-entry",
    "silver": "action-exceptions config-entry-unloading docs-configuration-parameters docs-installation-parameters entity-unavailable "
              "integration-owner log-when-unavailable parallel-updates reauthentication-flow test-coverage",
    "gold": "devices diagnostics discovery discovery-update-info docs-data-update docs-examples docs-known-limitations "
            "docs-supported-devices docs-supported-functions docs-troubleshooting docs-use-cases dynamic-devices entity-category "
            "entity-device-class entity-disabled-by-default entity-translations exception-translations icon-translations "
            "reconfiguration-flow repair-issues stale-devices",
    "platinum": "async-dependency inject-websession strict-typing",
}


def test_the_quality_scale_names_each_rule():
    scale = yaml.safe_load((INTEGRATION / "quality_scale.yaml").read_text())["rules"]
    for rule, verdict in scale.items():
        status = verdict if isinstance(verdict, str) else verdict["status"]
        assert status in ("done", "exempt", "todo"), rule
        assert status == "done" or verdict["comment"], rule
    assert sorted(scale) == sorted(rule for rules in RULES.values() for rule in rules.split())


def test_the_quality_scale_and_the_manifest_agree_on_the_owner():
    scale = yaml.safe_load((INTEGRATION / "quality_scale.yaml").read_text())["rules"]
    manifest = json.loads((INTEGRATION / "manifest.json").read_text())
    # Each tier wants all rules of those below it.
    missing = [tier for tier, rules in RULES.items() if any("todo" in str(scale[rule]) for rule in rules.split())]
    assert missing == ([] if manifest["codeowners"] else ["silver"])
    assert manifest.get("quality_scale") in (None, "bronze") or manifest["codeowners"]


def test_the_manifest():
    manifest = json.loads((INTEGRATION / "manifest.json").read_text())
    assert manifest["domain"] == INTEGRATION.name and manifest["config_flow"]
    names = list(manifest)
    assert names[:2] == ["domain", "name"] and names[2:] == sorted(names[2:])
    hacs = json.loads((INTEGRATION.parents[1] / "hacs.json").read_text())
    assert hacs["name"] == manifest["name"]
