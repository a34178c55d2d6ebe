"""Setting up, another token, another address, diagnostics."""

import json

import pytest
from conftest import House, eventually
from homeassistant.config_entries import ConfigEntryState
from test_connection import connected

OTHER_PROGRAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\nConnection: close\r\n\r\n<html>"


async def start(hass, **data):
    flow = await hass.config_entries.flow.async_init("trolley", context={"source": "user"})
    assert flow["type"] == "form" and not flow["errors"]
    return await hass.config_entries.flow.async_configure(flow["flow_id"], {"verify_ssl": True, **data})


async def test_an_account_is_set_up(hass, anna):
    shop = anna.new_list("Weekly shop", "milk")
    answer = await start(hass, url=anna.service.address + "/#/list", token=f" {anna.personal_token()['token']}\n")
    assert answer["type"] == "create_entry" and answer["title"] == "Anna (127.0.0.1)"
    await hass.async_block_till_done()
    entry = answer["result"]
    assert entry.data["url"] == anna.service.address and entry.unique_id == anna.account
    assert House(hass, entry, shop).texts() == ["milk"]
    # Once an account.
    assert (await start(hass, url=anna.service.address, token=anna.personal_token()["token"]))["reason"] == "already_configured"
    assert await hass.config_entries.async_unload(entry.entry_id)


async def test_each_mistake_is_named_and_can_be_mended(hass, anna, cable):
    token = anna.personal_token()["token"]
    for data, errors in [
        ({"url": anna.service.address, "token": "trl_aaaaaaaaaaaaaaaaaaaaaaaaaa"}, {"token": "invalid_auth"}),
        ({"url": "ftp://127.0.0.1", "token": token}, {"url": "invalid_url"}),
        ({"url": "http://", "token": token}, {"url": "invalid_url"}),
        ({"url": "http://127.0.0.1:1", "token": token}, {"base": "cannot_connect"}),
    ]:
        answer = await start(hass, **data)
        assert answer["type"] == "form" and answer["errors"] == errors, data
    cable.answers_instead = OTHER_PROGRAM
    answer = await start(hass, url=cable.address, token=token)
    assert answer["errors"] == {"url": "not_trolley"}
    answer = await hass.config_entries.flow.async_configure(
        answer["flow_id"], {"url": anna.service.address, "token": token, "verify_ssl": True})
    assert answer["type"] == "create_entry"
    await hass.async_block_till_done()
    assert await hass.config_entries.async_unload(answer["result"].entry_id)


@pytest.mark.parametrize(("address", "expected"), [
    ("trolley.example.com", "https://trolley.example.com"),
    (" http://trolley.local:8080/ ", "http://trolley.local:8080"),
    ("https://example.com/trolley/", "https://example.com/trolley"),
    ("https://anna:secret@example.com/?a=b#c", "https://example.com"),
    ("", None), ("https://", None), ("https://[", None), ("javascript:alert(1)", None),
])
def test_addresses(address, expected):
    from custom_components.trolley.config_flow import normalized

    assert normalized(address) == expected


async def test_a_token_of_another_account_is_refused(hass, anna, ben, connect):
    """For changes of one person that are sent as another's."""
    anna.new_list("Weekly shop", "milk")
    token = anna.personal_token()
    entry = await connect(anna, token=token)
    await connected(House(hass, entry, None))
    anna.revoke(token)
    [flow] = await eventually(hass.config_entries.flow.async_progress, "it asks for another token")
    answer = await hass.config_entries.flow.async_configure(flow["flow_id"], {"token": "trl_aaaaaaaaaaaaaaaaaaaaaaaaaa"})
    assert answer["errors"] == {"token": "invalid_auth"}
    answer = await hass.config_entries.flow.async_configure(flow["flow_id"], {"token": ben.personal_token()["token"]})
    assert answer["reason"] == "wrong_account"
    assert entry.data["token"] == token["token"]


async def test_the_address_is_changed(hass, anna, ben, connect, cable):
    from homeassistant.const import MAJOR_VERSION, MINOR_VERSION

    if (MAJOR_VERSION, MINOR_VERSION) < (2024, 5):
        pytest.skip("this release of Home Assistant has no reconfiguration")
    shop = anna.new_list("Weekly shop", "milk")
    entry = await connect(anna)
    context = {"source": "reconfigure", "entry_id": entry.entry_id}
    flow = await hass.config_entries.flow.async_init("trolley", context=context)
    data = {"url": cable.address, "token": ben.personal_token()["token"], "verify_ssl": True}
    assert (await hass.config_entries.flow.async_configure(flow["flow_id"], data))["reason"] == "wrong_account"
    flow = await hass.config_entries.flow.async_init("trolley", context=context)
    answer = await hass.config_entries.flow.async_configure(flow["flow_id"], {**data, "url": "http://127.0.0.1:1"})
    assert answer["errors"] == {"base": "cannot_connect"}
    data["token"] = anna.personal_token()["token"]
    answer = await hass.config_entries.flow.async_configure(flow["flow_id"], data)
    assert answer["reason"] == "reconfigure_successful"
    await hass.async_block_till_done()
    assert entry.data["url"] == cable.address and House(hass, entry, shop).texts() == ["milk"]


async def test_starting_without_the_service_for_the_first_time(hass, anna, connect, cable):
    """Nothing is known yet, so Home Assistant tries again later."""
    cable.cut()
    entry = await connect(anna, cable.address, expect=False)
    assert entry.state is ConfigEntryState.SETUP_RETRY


async def test_starting_with_a_token_that_is_revoked(hass, anna, connect):
    token = anna.personal_token()
    anna.revoke(token)
    entry = await connect(anna, token=token, expect=False)
    assert entry.state is ConfigEntryState.SETUP_ERROR
    assert [flow["context"]["source"] for flow in hass.config_entries.flow.async_progress()] == ["reauth"]


async def test_removing_the_entry_removes_what_is_stored(hass, anna, connect, tmp_path):
    anna.new_list("Weekly shop", "milk")
    entry = await connect(anna)
    await hass.config_entries.async_unload(entry.entry_id)
    assert list((tmp_path / ".storage").glob("trolley.*"))
    await hass.config_entries.async_remove(entry.entry_id)
    assert not list((tmp_path / ".storage").glob("trolley.*"))


async def test_diagnostics_have_no_words(hass, anna, connect, cable):
    """For a token, a name or an item in a file that people attach to reports."""
    from custom_components.trolley.diagnostics import async_get_config_entry_diagnostics

    shop = anna.new_list("Weekly shop", "milk")
    token = anna.personal_token()
    entry = await connect(anna, cable.address, token)
    house = House(hass, entry, shop)
    await connected(house)
    cable.cut()
    await eventually(lambda: not house.coordinator.is_connected, "the connection is lost")
    await house.do("todo", "add_item", item="eggs", description="brown ones")
    diagnostics = await async_get_config_entry_diagnostics(hass, entry)
    text = json.dumps(diagnostics)
    for word in [token["token"], "127.0.0.1", "milk", "eggs", "brown", "Weekly", "Anna", anna.email]:
        assert word not in text, word
    device = diagnostics["device"]
    assert device["lists"][shop]["wanted"] == 1 and device["lists"][shop]["digest"] == anna.state(shop)["digest"]
    assert [each["operation"] for each in device["queue"][shop]["waiting"]] == ["add"]
