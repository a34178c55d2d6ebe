"""A module that traps: it begins again, and the page goes on."""

import pytest

from app import DESKTOP

pytestmark = pytest.mark.without_worker

# The module that `traps` names traps in each call. A small module of its own does: it has one function, which is `unreachable`.
TRAPPING = """{
    const load = WebAssembly.instantiateStreaming;
    const UNREACHABLE = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 8, 1, 4, 116, 114, 97, 112, 0, 0, 10, 5, 1, 3, 0, 0, 11);
    WebAssembly.instantiateStreaming = async response => {
        const { instance: { exports: { trap } } } = await WebAssembly.instantiate(UNREACHABLE);
        const { module, instance: { exports } } = await load(response);
        const trolley_call = (...values) => response.url.endsWith(`/${globalThis.traps}.wasm`) ? trap() : exports.trolley_call(...values);
        return { module, instance: { exports: { ...exports, trolley_call } } };
    };
}"""
FIELD = ".addline input"


def said(app):
    return app.page.text_content("#toasts") or ""


def test_after_a_trap_the_next_gesture_works_without_a_reload(app):
    anna = app(**DESKTOP)
    anna.page.add_init_script(TRAPPING)
    anna.newcomer("Anna").new_list("Trap").add("Milk").settled()
    anna.page.fill(FIELD, "Bread")
    # What is typed asks for suggestions, which would trap first.
    anna.page.wait_for_load_state("networkidle")
    anna.page.evaluate("() => { globalThis.traps = 'trolley'; }")
    anna.page.press(FIELD, "Enter")
    anna.until_("it says so", lambda: "has trapped" in said(anna))
    anna.until_("what was typed is back", lambda: anna.page.input_value(FIELD) == "Bread")
    anna.page.press(FIELD, "Enter")
    anna.sees("Milk", "Bread").check("Milk").settled()
    anna.page.click("[aria-label=Undo]")
    anna.until_("it is undone", lambda: not any(item["markedOff"] for item in anna.state()["items"]))
    anna.settled().reload().sees("Milk", "Bread")


def test_a_run_of_the_sync_that_trapped_leaves_the_next_one_alone(app):
    anna = app(**DESKTOP)
    anna.page.add_init_script(TRAPPING)
    anna.newcomer("Anna").new_list("Trap").add("Milk").settled()
    anna.cable.cut()
    anna.add("Bread").until_("it waits", lambda: anna.waiting() == 1)
    assert anna.evaluate("""device => {
        globalThis.traps = 'trolley';
        return device.sync('manual');
    }""") is None
    anna.until_("it says so", lambda: "has trapped" in said(anna))
    anna.cable.mend()
    anna.evaluate("device => device.sync('manual')")
    anna.settled().sees("Milk", "Bread")


def test_after_a_call_with_an_impossible_length_everything_is_opened_again(app):
    anna = app(**DESKTOP).newcomer("Anna").new_list("Length").add("Milk").settled()
    before, errors, after = anna.evaluate("""async (device, list) => {
        const goods = await device.goods(), trips = await device.trips(), opened = await device.open(list);
        const complete = () => goods.completions(list, 'brea', 5);
        const broken = module => {
            try {
                module.callBytes('lines', 0, { length: -1 });
            } catch (error) {
                return error.constructor.name;
            }
        };
        await goods.complete(list);
        const before = await complete(), errors = [broken(await device.later()), broken(device.trolley)];
        // What was open in the module is gone with it.
        try {
            opened.handle.state();
        } catch (error) {
            errors.push(error.constructor.name);
        }
        await goods.complete(list);
        const reopened = await device.open(list);
        return [before, errors, [await complete(), await trips.of(list), reopened !== opened, reopened.handle.state().items[0].text]];
    }""", anna.list)
    assert errors == ["TrapError"] * 3
    assert before and after == [before, [], True, "Milk"]
    anna.add("Bread").settled().sees("Milk", "Bread")
