"""Signing in to the web app at the operator's identity provider, also at one that misbehaves."""

import base64
import hashlib
import http.client
import os
import socket
import tempfile

import pytest
from axe_playwright_python.sync_playwright import Axe

from app import PHONE, App
from provider import Misbehaving, Provider
from service import Service
from test_screens import RULES

pytestmark = pytest.mark.without_worker


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


def service_of(issuer, *arguments):
    return Service("--oidc-issuer", issuer, "--oidc-audience", "trolley", "--oidc-jwks", issuer + "/jwks", "--oidc-name", "Family ID", *arguments)


@pytest.fixture(scope="module")
def family():
    provider = Provider(free_port())
    with tempfile.NamedTemporaryFile("w") as secret:
        secret.write("hush\n")
        secret.flush()
        # As root, trolleyd reads it as another user.
        os.chmod(secret.name, 0o644)
        service = service_of(provider.issuer, "--oidc-client-secret-file", secret.name)
    yield service
    service.end()
    provider.end()


@pytest.fixture(scope="module")
def misbehaving():
    provider = Misbehaving()
    service = service_of(provider.issuer)
    yield provider, service
    service.end()
    provider.end()


@pytest.fixture
def one(browser, complaints, request):
    """Makes a browser at a service of the test's own."""
    apps = request.node.apps = []

    def make(service, **options):
        apps.append(App(browser, service, complaints, **(options or PHONE)))
        # The mock's page has a style sheet elsewhere.
        apps[-1].context.route("https://**", lambda route: route.fulfill(body="", content_type="text/css"))
        return apps[-1]

    yield make
    for app in apps:
        app.close()


def in_step(app):
    app.until_("it is in step", lambda: app.evaluate("device => device.isInStep"))


def sign_in(app, button="anna"):
    app.page.click("a:has-text('Sign in with Family ID')")
    app.page.click(f"button:has-text('{button}')")


def test_a_person_signs_in_at_the_provider_and_again_elsewhere(one, family):
    phone = one(family).open()
    phone.page.wait_for_selector("a:has-text('Sign in with Family ID')")
    report = Axe().run(phone.page, options=RULES)
    assert report.violations_count == 0, report.generate_report()
    sign_in(phone)
    phone.page.wait_for_selector(".new-list")
    assert phone.page.url.rstrip("/#") == phone.cable.address
    account = phone.evaluate("device => device.session.account")
    assert (account["name"], account["email"], account["emailVerified"]) == ("Anna Provided", "anna@id.example", True)
    phone.new_list("Weekly shop").add("Milk")
    in_step(phone)
    desk = one(family).open()
    sign_in(desk)
    desk.open_list("Weekly shop").sees("Milk")
    assert desk.evaluate("device => device.session.account.id") == account["id"]
    # What went through the address bar can't be used again.
    cookies = {cookie["name"]: cookie for cookie in desk.context.cookies()}
    assert "trolley-sign-in" not in cookies and cookies["trolley"]["httpOnly"] and cookies["trolley"]["sameSite"] == "Strict"


def test_an_invitation_is_there_after_the_way_to_the_provider(one, family):
    ben = one(family).newcomer("Ben").new_list("Party").add("Cake")
    anna = one(family).open(ben.link())
    sign_in(anna)
    anna.page.click("button:has-text('Join the list')")
    anna.sees("Cake")


def test_who_denies_it_is_told_and_can_go_on(one, family):
    anna = one(family).open()
    sign_in(anna, "Deny")
    anna.page.wait_for_selector("text=Nobody was signed in there")
    assert anna.page.is_visible("form [name=password]")
    assert anna.evaluate("device => device.session") is None


def test_who_was_signed_out_signs_in_there_again_and_finds_what_waits(one, family):
    anna = one(family).open()
    sign_in(anna)
    anna.page.wait_for_selector(".new-list")
    anna.new_list("Cellar").add("Candles")
    in_step(anna)
    anna.cable.cut()
    anna.add("Matches")
    family.operate("accounts", "--sign-out", "anna@id.example")
    anna.cable.mend()
    anna.page.wait_for_selector("text=signed out from another device")
    sign_in(anna)
    anna.open_list("Cellar").sees("Candles", "Matches")


@pytest.mark.parametrize("way, said", [
    ("refuses", "Nobody was signed in"), ("another state", "too long, or began in another window"), ("another issuer", "too long, or began"),
    ("leads elsewhere", "no usable answer"), ("endless", "no usable answer"), ("drops", "no usable answer"), ("no JSON", "no usable answer"), ("an error", "Nobody was signed in"),
    ("another audience", "Nobody was signed in"), ("expired", "Nobody was signed in"), ("another nonce", "Nobody was signed in"),
    ("another signature", "Nobody was signed in"), ("another's profile", "no usable answer"), ("profile leads elsewhere", "no usable answer"), ("unverified", "makes no account for you"),
])
def test_a_provider_that_misbehaves_signs_nobody_in(one, misbehaving, way, said):
    provider, service = misbehaving
    provider.way, provider.asked = way, []
    mallory = one(service).open()
    mallory.page.click("a:has-text('Sign in with Family ID')")
    mallory.page.wait_for_selector(f"#toasts .error:has-text('{said}')")
    assert mallory.evaluate("device => device.session") is None
    assert not [cookie for cookie in mallory.context.cookies() if cookie["value"]]
    assert "/elsewhere" not in provider.asked
    if way.startswith("another issuer") or way == "another state":
        assert "/token" not in provider.asked


@pytest.mark.parametrize("way", ["discovery leads elsewhere", "another name", "another scheme", "keys lead elsewhere"])
def test_addresses_and_keys_come_from_the_provider_itself(one, misbehaving, way):
    """The service keeps both, so each has a service that knows neither."""
    provider, _ = misbehaving
    provider.way, provider.asked = way, []
    service = service_of(provider.issuer)
    try:
        mallory = one(service).open()
        mallory.page.click("a:has-text('Sign in with Family ID')")
        mallory.page.wait_for_selector("#toasts .error:has-text('no usable answer')")
        assert mallory.evaluate("device => device.session") is None
        assert "/elsewhere" not in provider.asked
    finally:
        service.end()


def test_a_code_that_another_browser_began_is_worth_nothing(one, misbehaving):
    provider, service = misbehaving
    provider.way = ""
    anna = one(service).open()
    # A link of Mallory's, with Mallory's code: it would sign Anna in as Mallory.
    anna.page.goto(f"{anna.cable.address}/v1/identity/callback?code=code&state=forged")
    anna.page.wait_for_selector("#toasts .error:has-text('another window')")
    assert anna.evaluate("device => device.session") is None


def test_a_well_behaved_one_of_that_kind_does(one, misbehaving):
    """So the tests above fail for what they name."""
    provider, service = misbehaving
    provider.way = ""
    mallory = one(service).open()
    mallory.page.click("a:has-text('Sign in with Family ID')")
    mallory.page.wait_for_selector(".new-list")
    assert mallory.evaluate("device => device.session.account.name") == "Mallory"


def test_codes_that_the_provider_refuses_count_as_attempts_and_it_is_not_asked_without_end(misbehaving):
    """Anybody can invent a cookie and the state that belongs to it."""
    provider, _ = misbehaving
    service = service_of(provider.issuer, "--attempts-per-hour-by-address", "3")
    try:
        provider.way, provider.asked = "an error", []
        secret = "a" * 43
        state = base64.urlsafe_b64encode(hashlib.sha256(f"trolley sign-in state {secret}".encode()).digest()).decode().rstrip("=")
        codes = []
        for _ in range(6):
            connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=30)
            connection.request("GET", f"/v1/identity/callback?code=x&state={state}", headers={
                "Host": f"localhost:{service.port}", "Cookie": f"trolley-sign-in={secret}.eA"})
            answer = connection.getresponse()
            codes.append(answer.headers["Location"].rsplit("/", 1)[1])
            connection.close()
        assert codes == 3 * ["notAuthenticated"] + 3 * ["requestRateLimited"]
        assert provider.asked.count("/token") == 3
    finally:
        service.end()


def test_without_a_provider_nothing_is_offered(app):
    anna = app(**PHONE).open()
    anna.page.wait_for_selector("form [name=password]")
    anna.page.wait_for_load_state("networkidle")
    assert anna.page.locator("a:has-text('Sign in with')").count() == 0
