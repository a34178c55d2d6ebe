import os

import pytest
from playwright.sync_api import sync_playwright

from app import DESKTOP, NO_WORKER, App
from service import ROOT, CommandLine, Service

# The pictures in docs/screenshots.
KEPT = {(name, size) for name in ("planning", "shopping") for size in ("phone-light", "phone-dark", "desktop-light", "desktop-dark")}
KEPT |= {("sharing", "phone-light"), ("lists", "phone-dark"), ("activity", "desktop-light"), ("sync", "phone-light"), ("shopping", "small")}
KEPT |= {("operator", "phone-light"), ("operator", "desktop-dark")}

# Without the windows that nobody sees, which take a quarter of the processor's time. It has no notices: tests of these are marked
# with `notices`.
CHROMIUM = os.environ.get("TROLLEY_TEST_CHROMIUM", "/usr/bin/chromium-headless-shell")
CHROMIUM_WITH_NOTICES = os.environ.get("TROLLEY_TEST_CHROMIUM", "/usr/bin/chromium")
# Nor does it compile the module a second time, optimized, which took a sixth of the processor and speeds nothing up that a test waits for.
ARGUMENTS = ["--no-sandbox", "--js-flags=--liftoff-only"]
# Playwright would watch the requests of service workers. One that it watches sometimes never gives way to the next version.
os.environ["PLAYWRIGHT_DISABLE_SERVICE_WORKER_NETWORK"] = "1"


@pytest.fixture(scope="session")
def service():
    service = Service()
    yield service
    service.end()


def pytest_configure(config):
    config.addinivalue_line("markers", "notices: needs a browser that shows notices")
    config.addinivalue_line("markers", "without_worker: needs no service worker, whose installation takes a third of a short test's processor time")
    config.addinivalue_line("markers", "with_worker: needs it, unlike the rest of its file, such as to load a part of the app without a connection")


@pytest.fixture(scope="session")
def browsers():
    """The browser of a program, which is started when the first test needs it."""
    started = {}
    with sync_playwright() as playwright:

        def browser(program):
            if program not in started:
                started[program] = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
            return started[program]

        yield browser
        for browser in started.values():
            browser.close()


@pytest.fixture
def browser(browsers, request):
    return browsers(CHROMIUM_WITH_NOTICES if request.node.get_closest_marker("notices") else CHROMIUM)


@pytest.fixture
def complaints():
    """What the pages complain of: errors in the console, breaches of the policy, rejections that nobody handled."""
    complaints = []
    yield complaints
    assert not complaints, "\n".join(complaints)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Adds to a failure what the pages show, and what they have said to the service."""
    report = yield
    if call.when == "call" and report.failed:
        tabs = [tab for one in getattr(item, "apps", []) for tab in (one, *one.tabs)]
        report.sections += [(f"page {number}", tab.account()) for number, tab in enumerate(tabs, 1)]
    return report


@pytest.fixture
def app(browser, service, complaints, request):
    """Makes a browser of one person: `app(**options)`."""
    apps = request.node.apps = []

    def make(**options):
        apps.append(App(browser, service, complaints, **(options or DESKTOP)))
        if request.node.get_closest_marker("without_worker") and not request.node.get_closest_marker("with_worker"):
            apps[-1].context.add_init_script(NO_WORKER)
        return apps[-1]

    yield make
    for one in apps:
        one.close()


@pytest.fixture
def command_line(service):
    return CommandLine(service)


@pytest.fixture
def screenshots():
    """Answers where the picture of a screen goes: with TROLLEY_SCREENSHOTS=1 some to docs/screenshots, else all to .build."""

    def path(name, size):
        is_kept = os.environ.get("TROLLEY_SCREENSHOTS") == "1" and (name, size) in KEPT
        directory = ROOT / ("docs/screenshots" if is_kept else ".build/browser-screenshots")
        directory.mkdir(parents=True, exist_ok=True)
        return directory / f"{name}-{size}.png"

    return path
