"""Caches between the browsers and the service, which several people share."""

import email

import pytest

from app import DESKTOP
from cache import Answer, Request, SharedCache


def through_one_cache(app, is_rude):
    """Anna with a list, and Ben on the same list, through the same cache."""
    anna = app()
    anna.cable.cache = SharedCache(is_rude)
    anna.newcomer("Anna").new_list("Cached").add("Milk").settled()
    ben = app(cable=anna.cable, **DESKTOP).join(anna.link(), "Ben").sees("Milk")
    return anna, ben


def is_still(one, email):
    """Whatever the page and the browser ask, the account is this person's."""
    assert one.page.evaluate("async () => (await (await fetch('/v1/account')).json()).email") == email
    one.reload().page.wait_for_selector(".row")
    one.evaluate("device => device.sync('manual')")
    assert one.evaluate("async device => (await device.refreshAccount()).email") == email
    one.page.click(".account")
    one.until_("the address", lambda: one.page.text_content("dialog .me .sub") == email)
    one.page.keyboard.press("Escape")


@pytest.mark.parametrize("is_rude", [False, True], ids=["by the book", "rude"])
def test_two_people_share_a_list_through_one_cache(app, is_rude):
    anna, ben = through_one_cache(app, is_rude)
    cache = anna.cable.cache
    assert any(address.startswith("/app/") for address in cache.given)
    for one, other, text in ((anna, ben, "Bread"), (ben, anna, "Salt"), (anna, ben, "Rice")):
        one.add(text).settled()
        one.sees(*other.sees(*one.texts).texts)
        is_still(one, one.email)
        is_still(other, other.email)
    ben.check("Milk")
    anna.in_step_with(ben)
    # Nothing of anybody is in it.
    assert [address for address in cache.stored if address.startswith("/v1/")] == []


def test_a_new_version_arrives_through_a_cache(app, service):
    anna, ben = through_one_cache(app, True)
    old, new = service.update()
    source = "document.querySelector('script[type=module]')?.src"
    for one in (anna, ben):
        one.installed().page.evaluate("async () => { await (await navigator.serviceWorker.getRegistration()).update(); }")
        one.page.click("#toasts button:has-text('Update')")
        one.page.wait_for_function(f"version => {source}?.includes(version)", arg=new)
        one.sees("Milk")
        assert one.page.evaluate("caches.keys()") == [f"trolley-{new}"]
    # Somebody who comes new gets it, too.
    carol = app(cable=anna.cable, **DESKTOP).open()
    assert new in carol.page.evaluate(source)


def headers(text):
    return email.message_from_string(text)


MONTH_OLD = "Date: Wed, 21 Oct 2026 07:28:00 GMT\nLast-Modified: Mon, 21 Sep 2026 07:28:00 GMT"


@pytest.mark.parametrize("asked, answered, later, by_the_book, rude", [
    ("", "Cache-Control: max-age=60", 59, True, True),
    ("", "Cache-Control: max-age=60", 61, False, False),
    ("", "Cache-Control: public, max-age=60, s-maxage=10", 11, False, False),
    ("", "Cache-Control: no-store", 0, False, False),
    ("", "Cache-Control: private, max-age=60", 0, False, False),
    ("", "Cache-Control: no-cache", 0, False, False),
    ("", "", 0, False, True),
    ("", MONTH_OLD, 2 * 86_400, True, True),
    ("", MONTH_OLD, 4 * 86_400, False, False),
    ("Cookie: trolley=a", "Cache-Control: max-age=60", 0, False, True),
    ("Authorization: Bearer a", "Cache-Control: max-age=60", 0, False, True),
    ("Cookie: trolley=a", "Cache-Control: public, max-age=60", 0, True, True),
    ("Cache-Control: no-cache", "Cache-Control: max-age=60", 0, False, True),
    ("Accept-Encoding: br", "Cache-Control: max-age=60\nVary: Accept-Encoding", 0, True, True),
])
def test_what_a_cache_gives_a_second_time(asked, answered, later, by_the_book, rude):
    for is_rude, expected in ((False, by_the_book), (True, rude)):
        now, asks = [1000], []
        cache = SharedCache(is_rude, clock=lambda: now[0])

        def ask(request):
            asks.append(request)
            return Answer(200, headers(answered), b"ours")

        for step in (0, later):
            now[0] += step
            assert cache.answer(Request("GET", "/", headers(asked)), ask).body == b"ours"
        assert (len(asks) == 1) == expected, f"rude: {is_rude}"
        assert len(cache.given) == expected
        # Neither another address nor another form is the same.
        cache.answer(Request("GET", "/other", headers(asked)), ask)
        assert asks[-1].address == "/other"
        if "Vary" in answered:
            before = len(asks)
            cache.answer(Request("GET", "/", headers("Accept-Encoding: gzip")), ask)
            assert len(asks) == before + 1


def test_a_cache_asks_whether_what_it_has_is_still_the_newest():
    cache, tag = SharedCache(is_rude=True), '"1"'

    def ask(request):
        if request.headers["If-None-Match"] == tag:
            return Answer(304, headers(f"ETag: {tag}\nCache-Control: no-cache"))
        return Answer(200, headers(f"ETag: {tag}\nCache-Control: no-cache"), tag.encode())

    page = Request("GET", "/", headers("If-None-Match: \"0\""))
    assert [cache.answer(page, ask).body for _ in range(3)] == [b'"1"'] * 3 and len(cache.given) == 2
    tag = '"2"'
    assert cache.answer(page, ask).body == b'"2"'
