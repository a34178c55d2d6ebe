"""When the app syncs, and proxies that hold hints back or keep answers."""


def pair(app, held=True):
    """Anna with a list, whose cable holds hints back, and Ben on the same list."""
    anna = app()
    anna.cable.is_buffering = held
    anna.newcomer("Anna").new_list("Hints").add("Milk").settled()
    ben = app().join(anna.link(), "Ben").sees("Milk")
    # Anna's next sync brings the share.
    anna.evaluate("device => device.sync('manual')")
    return anna, ben


def test_behind_a_proxy_that_holds_hints_back_changes_come_by_polling(app):
    anna = app()
    anna.page.clock.install()
    anna.cable.is_buffering = True
    anna.newcomer("Anna").new_list("Hints").add("Milk").settled()
    ben = app().join(anna.link(), "Ben").sees("Milk").add("Bread").settled()
    anna.until_("a hint is held back", lambda: anna.cable.held > 0)
    assert anna.texts == ["Milk"]
    # The page's minute.
    anna.page.clock.fast_forward(61_000)
    anna.sees("Milk", "Bread")


def test_the_app_syncs_when_the_network_is_back_and_when_it_becomes_visible(app):
    anna, ben = pair(app)
    second = anna.tab().open(f"/#/list/{anna.list}").sees("Milk")
    assert anna.evaluate("device => device.isLeading") and not second.evaluate("device => device.isLeading")
    ben.add("Bread").settled()
    assert anna.texts == ["Milk"]
    anna.page.evaluate("dispatchEvent(new Event('online'))")
    anna.sees("Milk", "Bread")
    ben.add("Salt").settled()
    assert anna.texts == ["Milk", "Bread"]
    anna.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    anna.sees("Milk", "Bread", "Salt")
    # A tab that doesn't lead asks the leading one, which may be hidden.
    ben.add("Rice").settled()
    assert second.texts == ["Milk", "Bread", "Salt"]
    second.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    second.sees("Milk", "Bread", "Salt", "Rice")


def test_a_push_lets_open_pages_sync(app):
    anna, ben = pair(app)
    source = "document.querySelector('script[type=module]').src"
    anna.page.evaluate(f"""async () => {{
        const {{ keepSubscribed }} = await import({source}.replace('main.js', 'device/push.js'));
        keepSubscribed((await import({source})).running.device);
    }}""")
    ben.add("Bread").settled()
    assert anna.texts == ["Milk"]
    # As the service worker sends it to each page.
    anna.page.evaluate("navigator.serviceWorker.dispatchEvent(new MessageEvent('message', { data: { type: 'pushed' } }))")
    anna.sees("Milk", "Bread")


def test_no_proxy_may_keep_an_answer(app):
    anna = app()
    answers = []

    def note(response):
        if "/v1/" in response.url and response.request.method == "GET" and response.request.resource_type == "fetch":
            answers.append(response)

    anna.page.on("response", note)
    anna.newcomer("Anna").new_list("Kept").add("Milk").settled()
    anna.link()
    anna.page.click(".account")
    anna.page.click("dialog summary:has-text('Devices')")
    anna.page.wait_for_selector("dialog .people li")
    with anna.page.expect_response("**/v1/export"):
        anna.page.click("dialog .menu-item:has-text('Download')")
    paths = {answer.url.split("/v1/")[1] for answer in answers}
    assert {"config", "account", "devices", "export", "summaries"} <= paths
    assert [answer.url for answer in answers if answer.headers.get("cache-control") != "no-store"] == []
    # Nor may an older answer be given, by a proxy that has kept one all the same.
    assert [answer.url for answer in answers if answer.request.all_headers().get("cache-control") != "no-cache"] == []


def test_what_a_socket_may_have_missed_is_asked_for_once(app):
    anna = app()
    anna.page.add_init_script("""{
        const Own = WebSocket;
        globalThis.sockets = [];
        globalThis.WebSocket = class extends Own { constructor(...values) { super(...values); globalThis.sockets.push(this); } };
    }""")
    anna.newcomer("Anna").new_list("Missed").add("Milk").settled()
    anna.evaluate("""device => {
        globalThis.runs = [];
        const sync = device.sync.bind(device);
        device.sync = trigger => { globalThis.runs.push(trigger); return sync(trigger); };
    }""")
    anna.page.evaluate("""sockets.findLast(socket => socket.readyState === WebSocket.OPEN)
        .dispatchEvent(new MessageEvent('message', { data: '{"type":"missed"}' }))""")
    anna.until_("it asks", lambda: anna.page.evaluate("runs").count("push") == 1)
    # And the socket stays.
    anna.settled()
    assert anna.page.evaluate("runs").count("push") == 1
    assert anna.page.evaluate("sockets.findLast(socket => socket.readyState === WebSocket.OPEN)?.readyState") == 1
