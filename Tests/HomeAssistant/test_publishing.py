"""What the checks of others ask of the files: Home Assistant's hassfest for integrations of one's own, and HACS.

These are their rules, written again: hassfest is a part of Home Assistant's sources, which no package has.
"""

import json
import pathlib
import re
import string

import pytest
import voluptuous as vol
import yaml
from awesomeversion import AwesomeVersion, AwesomeVersionStrategy
from homeassistant.helpers import selector

ROOT = pathlib.Path(__file__).resolve().parents[2] / "integrations/homeassistant"
INTEGRATION = ROOT / "custom_components/trolley"

KEY = vol.Match(r"^(?!.+[_-]{2})(?![_-])[a-z0-9-_]+(?<![_-])$")
SLUG = vol.Match(r"^[a-z0-9_]+$")


def text(value):
    """A text of a translation: no markup, no address, no placeholder in quotes, no spaces around it."""
    value = vol.Schema(str)(value)
    for pattern, why in [(r"<[a-z/]", "markup"), (r"'\{\w+\}'", "a placeholder in single quotes"),
                         (r"(https?://|www\.)[a-z0-9]+([-.][a-z0-9]+)*\.[a-z]{2,5}", "an address"), (r".\[%|%\].", "a reference")]:
        if re.search(pattern, value, re.IGNORECASE):
            raise vol.Invalid(f"{why} in {value!r}")
    if value != value.strip():
        raise vol.Invalid(f"space around {value!r}")
    for _, name, _, _ in string.Formatter().parse(value):
        if name and not name.isidentifier():
            raise vol.Invalid(f"the placeholder {name!r}")
    return value


def described(value):
    """Each described field is one of the step's."""
    for step in value["step"].values():
        if set(step.get("data_description", {})) - set(step.get("data", {})):
            raise vol.Invalid("a described field isn't in the step")
    return value


FLOW = vol.All({
    vol.Optional("flow_title"): text,
    vol.Required("step"): {str: {
        **{vol.Optional(key): text for key in ["title", "description", "submit"]},
        **{vol.Optional(key): {str: text} for key in ["data", "data_description", "menu_options"]},
    }},
    **{vol.Optional(key): {str: text} for key in ["error", "abort", "progress", "create_entry"]},
}, described)

ENTITY = {
    vol.Optional("name"): text,
    vol.Optional("state"): {KEY: text},
    vol.Optional("state_attributes"): {KEY: {vol.Optional("name"): text, vol.Optional("state"): {KEY: text}}},
    vol.Optional("unit_of_measurement"): text,
}

TRANSLATIONS = vol.Schema({
    vol.Optional("config"): FLOW,
    vol.Optional("options"): FLOW,
    vol.Optional("entity"): {SLUG: {KEY: ENTITY}},
    vol.Optional("exceptions"): {SLUG: {vol.Required("message"): text}},
    vol.Optional("issues"): {str: vol.All(
        {vol.Required("title"): text, vol.Exclusive("description", "fixable"): text, vol.Exclusive("fix_flow", "fixable"): FLOW},
        vol.Length(min=2))},
    vol.Optional("services"): {SLUG: {
        vol.Required("name"): text, vol.Required("description"): text,
        vol.Optional("fields"): {SLUG: {vol.Required("name"): text, vol.Required("description"): text}},
    }},
})

ICON = vol.Match(r"^mdi:[a-z0-9-]+$")
ICONS = vol.Schema({
    vol.Optional("entity"): {SLUG: {KEY: {vol.Optional("default"): ICON, vol.Optional("state"): {KEY: ICON}}}},
    vol.Optional("services"): {SLUG: {vol.Required("service"): ICON}},
})

FIELD = {vol.Optional("required"): bool, vol.Optional("example"): vol.NotIn([None]), vol.Optional("default"): vol.NotIn([None]),
         vol.Optional("selector"): selector.validate_selector}
SERVICES = vol.Schema({SLUG: {
    vol.Optional("target"): selector.TargetSelector.CONFIG_SCHEMA, vol.Optional("fields"): {SLUG: FIELD}}})


def version(value):
    AwesomeVersion(value, ensure_strategy=[AwesomeVersionStrategy.SEMVER])
    return value


MANIFEST = vol.Schema({
    # HACS wants these; hassfest the first four, and the version.
    vol.Required("domain"): SLUG,
    vol.Required("name"): str,
    vol.Required("documentation"): vol.All(vol.Url(), vol.Match("^https://")),
    vol.Required("codeowners"): [vol.Match("^@")],
    vol.Required("issue_tracker"): vol.Url(),
    vol.Required("version"): version,
    vol.Required("integration_type"): vol.In(["device", "hub", "service"]),
    vol.Required("iot_class"): vol.In(["local_push", "cloud_push"]),
    vol.Required("config_flow"): True,
    vol.Optional("requirements"): [str],
})

HACS = vol.Schema({
    vol.Required("name"): str,
    vol.Optional("homeassistant"): vol.Coerce(AwesomeVersion),
    **{vol.Optional(key): bool for key in ["content_in_root", "hide_default_branch", "render_readme", "zip_release"]},
    **{vol.Optional(key): str for key in ["country", "filename", "hacs", "persistent_directory"]},
})


@pytest.mark.parametrize(("name", "schema"), [
    ("custom_components/trolley/manifest.json", MANIFEST),
    ("custom_components/trolley/translations/en.json", TRANSLATIONS),
    ("custom_components/trolley/translations/de.json", TRANSLATIONS),
    ("custom_components/trolley/icons.json", ICONS),
    ("custom_components/trolley/services.yaml", SERVICES),
    ("hacs.json", HACS),
])
def test_the_files_have_the_form(name, schema):
    # JSON is YAML.
    schema(yaml.safe_load((ROOT / name).read_text()))


def test_hacs_finds_one_integration_with_a_picture():
    assert [path.name for path in (ROOT / "custom_components").iterdir() if path.is_dir() and path.name != "__pycache__"] == ["trolley"]
    assert (ROOT / "README.md").exists() and (ROOT / "hacs.json").exists()
    assert (INTEGRATION / "brand/icon.png").read_bytes().startswith(b"\x89PNG")


def test_icons_and_names_are_of_entities_that_are_there():
    icons = json.loads((INTEGRATION / "icons.json").read_text())["entity"]
    names = json.loads((INTEGRATION / "translations/en.json").read_text())["entity"]
    for domain, entities in icons.items():
        assert (INTEGRATION / f"{domain}.py").exists()
        for key in entities:
            assert f'"{key}"' in (INTEGRATION / f"{domain}.py").read_text(), key
    for domain, entities in names.items():
        assert set(entities) <= set(icons[domain]), domain


@pytest.mark.parametrize("broken", [
    "See https://example.com", "Hello <b>there</b>", " a", "The '{name}'", "{0x}",
])
def test_a_text_that_hassfest_refuses_is_refused_here(broken):
    with pytest.raises(vol.Invalid):
        text(broken)
