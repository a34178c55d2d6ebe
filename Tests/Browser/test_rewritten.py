"""A proxy on the way that rewrites the app's files, or has none of them for a moment."""

import collections
import email.message

import pytest

from cache import Answer
from test_damaged_cache import CONTENT, DAMAGE

COMMENTS = {"text/javascript": b"\n// measured", "text/css": b"\n/* measured */", "text/html": b"\n<!-- measured -->"}


class Rewriter:
    """Adds a comment to each script, style and page, as proxies that measure, filter or minify do."""

    def __init__(self):
        # How often each address was asked for.
        self.asked = collections.Counter()

    def answer(self, request, ask):
        self.asked[request.address] += 1
        del request.headers["Accept-Encoding"]
        answer = ask(request)
        kind = answer.headers.get_content_type()
        if answer.status == 200 and kind in COMMENTS:
            answer.body += COMMENTS[kind]
            del answer.headers["ETag"]
        return answer


class Hiding:
    """Answers for one file that there is none, or with another network's page."""

    def __init__(self, file, status):
        self.file, self.status, self.asked = file, status, 0

    def answer(self, request, ask):
        if not request.address.endswith(self.file):
            return ask(request)
        self.asked += 1
        headers = email.message.Message()
        headers["Content-Type"] = "text/html; charset=utf-8"
        return Answer(self.status, headers, b"<title>Sign in to this network</title>")


def of_the_app(asked):
    return {address: count for address, count in asked.items() if address.startswith("/app/")}


def test_behind_a_proxy_that_rewrites_files_the_app_opens_without_a_network_and_loads_nothing_again(app):
    anna = app()
    proxy = anna.cable.cache = Rewriter()
    anna.newcomer("Anna").new_list("Measured").add("Milk").settled().installed()
    source = "async () => (await fetch(document.querySelector('script[type=module]').src)).text()"
    assert anna.page.evaluate(source).endswith("// measured")
    anna.reload().sees("Milk").settled()
    before = of_the_app(proxy.asked)
    for _ in range(2):
        anna.reload().sees("Milk").settled()
    assert of_the_app(proxy.asked) == before
    anna.cable.cut()
    anna.reload().sees("Milk").add("Bread").until_("it is saved", lambda: anna.waiting() == 1)


@pytest.mark.parametrize("status", [404, 200], ids=["no file", "another page"])
def test_what_is_missing_for_a_moment_on_the_way_takes_nothing_from_the_cache(app, status):
    anna = app().newcomer("Anna").new_list("Whole").add("Milk").settled().installed()
    whole = anna.page.evaluate(CONTENT)
    # The worker repairs them in this order.
    hidden, later = "ui/messages.js", "ui/operator.js"
    proxy = anna.cable.cache = Hiding(hidden, status)
    for file in (hidden, later):
        anna.page.evaluate(DAMAGE, [file, "missing"])
    ask = """async file => {
        const [name] = await caches.keys();
        return (await fetch(`/app/${name.replace('trolley-', '')}/${file}`)).status;
    }"""
    # The connections from before don't ask the proxy.
    anna.cable.cut()
    anna.cable.mend()
    assert anna.page.evaluate(ask, later) == 200
    rest = {address: digest for address, digest in whole.items() if not address.endswith(hidden)}
    anna.until_("the rest is whole", lambda: anna.page.evaluate(CONTENT) == rest)
    assert proxy.asked
    anna.cable.cache = None
    anna.cable.cut()
    anna.reload().sees("Milk")
    anna.cable.mend()
    assert anna.page.evaluate(ask, hidden) == 200
    anna.until_("all is whole", lambda: anna.page.evaluate(CONTENT) == whole)
