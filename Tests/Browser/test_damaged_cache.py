"""After a power cut the browser's cache may have lost files of the app, or parts of them. The database is another matter."""

import pytest

from test_updates import IS_NEW

# Takes a file of the app from the service worker's cache, or damages it.
DAMAGE = """async ([file, how]) => {
    const [name] = await caches.keys(), cache = await caches.open(name);
    const path = file ? `/app/${name.replace('trolley-', '')}/${file}` : '/';
    const stored = await cache.match(path), bytes = new Uint8Array(await stored.arrayBuffer());
    if (how === 'missing') return cache.delete(path);
    const damaged = how === 'cut short' ? bytes.subarray(0, bytes.length / 2) : bytes.fill(0, bytes.length / 2);
    await cache.put(path, new Response(damaged, { headers: stored.headers }));
}"""

# The bytes of all that the cache has.
CONTENT = """async () => {
    const content = {};
    for (const name of await caches.keys()) {
        const cache = await caches.open(name);
        for (const request of await cache.keys()) {
            const digest = await crypto.subtle.digest('SHA-256', await (await cache.match(request)).arrayBuffer());
            content[request.url] = String(new Uint8Array(digest));
        }
    }
    return content;
}"""


def forget(complaints):
    """Forgets what the console says of missing files."""
    assert all("imported" in each or "could not be loaded" in each for each in complaints), complaints
    complaints.clear()


@pytest.mark.parametrize("how", ["missing", "cut short", "zeroes"])
def test_what_the_cache_has_lost_comes_from_the_service_again(app, how):
    anna = app().newcomer("Anna").new_list("Whole").add("Milk").settled().installed()
    whole = anna.page.evaluate(CONTENT)
    for file in ("", "main.js", "trolley.js", "trolley.wasm", "ui/messages.js"):
        anna.page.evaluate(DAMAGE, [file, how])
    assert anna.page.evaluate(CONTENT) != whole
    anna.reload().sees("Milk")
    # Also what nobody has asked for.
    anna.until_("the cache is whole", lambda: anna.page.evaluate(CONTENT) == whole)
    anna.cable.cut()
    anna.reload().sees("Milk")


@pytest.mark.parametrize("file, text", [("main.js", "a part of Trolley is missing"), ("ui/list.js", "A part of the app could not be loaded"),
                                        ("trolley.js", "A part of the app could not be loaded")])
def test_without_a_network_it_says_that_a_part_is_missing(app, complaints, file, text):
    anna = app().newcomer("Anna").new_list("Part").add("Milk").settled().installed()
    anna.cable.cut()
    anna.add("Bread").until_("it is saved", lambda: anna.waiting() == 1)
    anna.page.evaluate(DAMAGE, [file, "cut short"])
    anna.reload().until_("it says so", lambda: anna.page.is_visible(f"text={text}"))
    # Which would take what was not sent yet.
    assert not anna.page.is_visible("text=Start over")
    anna.cable.mend()
    anna.reload().sees("Milk", "Bread").settled()
    forget(complaints)


def test_a_file_of_the_catalogue_that_the_page_has_stored_itself_is_whole(app):
    anna = app().newcomer("Anna").new_list("Goods").add("Milk").settled().installed()
    anna.cable.cut()
    assert "stored by the page" == anna.page.evaluate("""async () => {
        const [name] = await caches.keys(), path = `/app/${name.replace('trolley-', '')}/catalogue/names.json`;
        await (await caches.open(name)).put(path, new Response('stored by the page'));
        return (await fetch(path)).text();
    }""")


def test_a_repair_without_an_answer_keeps_no_new_version_waiting(app, service):
    anna = app().newcomer("Anna").new_list("Silence").add("Milk").settled().installed()
    _, new = service.update()
    anna.page.evaluate("async () => { await (await navigator.serviceWorker.getRegistration()).update(); }")
    anna.until_("it says so", lambda: "new version" in (anna.page.text_content("#toasts") or ""))
    anna.cable.silence()
    anna.page.evaluate(DAMAGE, ["ui/messages.js", "missing"])
    anna.page.evaluate("""async () => {
        const [name] = await caches.keys();
        fetch(`/app/${name.replace('trolley-', '')}/ui/messages.js`).catch(() => {});
    }""")
    # The page's request and the repair's.
    anna.until_("the file is asked for", lambda: anna.cable.unanswered)
    anna.page.click("#toasts button:has-text('Update')")
    anna.page.wait_for_function(IS_NEW, arg=new)
    anna.sees("Milk")
    anna.cable.mend()


def test_a_damaged_version_that_the_service_no_longer_has_makes_room_for_the_next(app, service, complaints):
    anna = app().newcomer("Anna").new_list("Next").add("Milk").settled().installed()
    old, new = service.update()
    anna.missing.add("trolley.js")
    anna.page.evaluate(DAMAGE, ["trolley.js", "missing"])
    # The next version may have stored its own page already.
    anna.reload().until_("the damaged version's page goes", lambda: anna.page.evaluate(
        "async version => !await (await caches.open(`trolley-${version}`)).match('/')", old))
    anna.reload().sees("Milk")
    assert new in anna.page.evaluate("document.querySelector('script[type=module]').src")
    forget(complaints)
