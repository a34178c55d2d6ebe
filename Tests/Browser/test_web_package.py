"""The package for other people's web pages: the page of Examples/WebPage beside the web app, by the Caddyfile that lies there."""

import json
import os
import shutil
import socket
import subprocess
import urllib.request

import pytest

from app import PASSWORD, comparable
from service import ROOT, until

EXAMPLE = ROOT / "Examples/WebPage"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """The example, with the package where `npm install` puts it."""
    place = tmp_path_factory.mktemp("web-page")
    made = subprocess.run([ROOT / "script/web-package", place], capture_output=True, text=True)
    assert made.returncode == 0, made.stdout + made.stderr
    for file in EXAMPLE.iterdir():
        shutil.copy(file, place)
    (place / "node_modules/trolley").mkdir(parents=True)
    subprocess.run(["tar", "-xzf", made.stdout.strip(), "--strip-components", "1", "-C", place / "node_modules/trolley"], check=True)
    return place


@pytest.fixture
def address(place, service):
    """Where Caddy serves the page and the service."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"localhost:{taken.getsockname()[1]}"
    with open(place / "caddy.log", "wb") as log:
        caddy = subprocess.Popen(
            ["caddy", "run", "--config", "Caddyfile", "--adapter", "caddyfile"], cwd=place, stdout=log, stderr=log,
            env=os.environ | {"ADDRESS": address, "TROLLEY": f"127.0.0.1:{service.port}", "XDG_DATA_HOME": str(place), "XDG_CONFIG_HOME": str(place)})

    def answers():
        assert caddy.poll() is None, (place / "caddy.log").read_text()
        try:
            return urllib.request.urlopen(f"http://{address}/v1/config").status == 200
        except OSError:
            return False

    until(answers, "Caddy answers")
    yield f"http://{address}"
    caddy.terminate()
    caddy.wait(20)


class Page:
    """Somebody's browser with the example."""

    def __init__(self, browser, address, complaints, path="/"):
        self.context = browser.new_context()
        self.page = self.context.new_page()
        self.page.on("pageerror", lambda error: complaints.append(f"not handled: {error} {error.stack}"))
        self.page.goto(address + path)

    def sign_up(self, name, email):
        self.page.wait_for_selector("#person:not([hidden])")
        for field, value in {"name": name, "email": email, "password": PASSWORD}.items():
            self.page.fill(f"[name={field}]", value)
        self.page.click("#person button")
        self.page.wait_for_selector("main:not([hidden])")
        return self

    def add(self, text):
        self.page.fill("[name=text]", text)
        self.page.click("#adding button")
        until(lambda: self.page.input_value("[name=text]") == "", "the line is taken")
        return self

    def sees(self, *rows, heading="✓"):
        def shown():
            return [text.strip() for text in self.page.locator("li").all_text_contents()] == list(rows) and heading in self.page.text_content("h1")
        until(shown, lambda: f"{rows}, {heading}, not {self.page.inner_text('body')}")
        return self

    def state(self):
        """What a page of somebody else's would get: all of the device's package, by its names."""
        return comparable(self.page.evaluate("""async () => {
            const { TrolleyDevice } = await import('./node_modules/trolley/device.js');
            const device = await TrolleyDevice.start();
            const list = device.list(device.state.lists[0].id);
            await new Promise(seen => list.subscribe(seen));
            return list.state;
        }"""))


def test_a_page_of_somebody_elses_works_offline_and_ends_equal_to_the_web_app_and_the_command_line(
        browser, address, complaints, app, command_line):
    ann = Page(browser, address, complaints).sign_up("Ann", f"ann-{os.urandom(4).hex()}@example.com").add("2 l milk").sees("milk 2 l")
    ann.page.click("#invite")
    link = until(lambda: invited(ann), "a link")
    path = link.removeprefix(address)
    # Somebody else uses the page, and a third one the web app.
    ben = Page(browser, address, complaints, path).sign_up("Ben", f"ben-{os.urandom(4).hex()}@example.com").sees("milk 2 l")
    ann.page.click("#invite")
    cleo = app().join(until(lambda: invited(ann, link), "another link").removeprefix(address), "Cleo").sees("milk")

    # Without a signal: what one makes is on the screen at once, outlives a reload, and waits.
    ben.context.set_offline(True)
    ben.add("eggs").sees("milk 2 l", "eggs", heading="unreachable")
    ben.page.locator("li input").first.check()
    cleo.add("bread").settled()
    ann.sees("milk 2 l", "bread")
    ben.context.set_offline(False)
    ben.page.reload()
    for one in (ann, ben):
        one.sees("milk 2 l", "eggs", "bread")
    cleo.sees("eggs", "bread", "milk")
    assert ann.state() == ben.state() == cleo.state()

    # One gesture of one's own is taken back, whatever came since.
    ben.page.click("#undo")
    for one in (ann, ben):
        until(lambda one=one: one.page.locator("li input:checked").count() == 0, "milk is wanted again")
    assert ann.state() == ben.state()


def test_a_page_makes_a_list_without_a_network(browser, address, complaints):
    ann = Page(browser, address, complaints).sign_up("Ann", f"ann-{os.urandom(4).hex()}@example.com").add("ice").sees("ice")
    # The page that is loaded now has made none.
    ann.page.reload()
    ann.sees("ice").page.route("**/making.js", lambda route: route.abort())
    assert ann.page.evaluate("""async () => {
        const { TrolleyDevice } = await import('./node_modules/trolley/device.js');
        return (await (await TrolleyDevice.start()).makeList('Cabin')).state.name;
    }""") == "Cabin"


def test_a_page_undoes_without_a_network(browser, address, complaints):
    ann = Page(browser, address, complaints).sign_up("Ann", f"ann-{os.urandom(4).hex()}@example.com").add("ice").sees("ice")
    # The page that is loaded now has undone nothing.
    ann.page.reload()
    ann.sees("ice").page.route("**/undo.js", lambda route: route.abort())
    ann.page.click("#undo")
    ann.sees()


def invited(page, *but):
    link = page.page.evaluate("document.querySelector('output').value")
    return link if link and link not in but else None


def test_what_the_service_refuses_is_said_on_the_page(browser, address, complaints):
    ann = Page(browser, address, complaints)
    ann.page.fill("[name=name]", "Ann")
    ann.page.fill("[name=email]", "ann@example.com")
    ann.page.fill("[name=password]", "short")
    ann.page.click("#person button")
    said = until(lambda: ann.page.evaluate("document.querySelector('output').value"), "a sentence")
    assert "password" in said.lower(), said


def test_the_types_of_the_package_hold_for_the_page_and_against_wrong_calls(place):
    def check(name, text):
        (place / name).write_text(text)
        return subprocess.run(
            ["tsc", "--noEmit", "--strict", "--allowJs", "--target", "es2022", "--module", "es2022", "--moduleResolution", "node16", "--skipLibCheck", "false",
             "--lib", "dom,dom.iterable,es2022", name], cwd=place, capture_output=True, text=True)

    right = check("right.mts", """
        import { TrolleyDevice, type ShoppingList, CallError } from 'trolley/device';
        import { Trolley } from 'trolley';
        const device = await TrolleyDevice.start({ language: 'de' });
        const list: ShoppingList = await device.makeList('Party');
        const added: { outcome: string }[] = await list.add('ice');
        const name: string | null | undefined = list.state?.name;
        const waiting: number = device.state.sync.waiting;
        const end: () => void = list.subscribe(() => {});
        try { await device.signIn({ email: '', password: '' }); } catch (error) { if (error instanceof CallError) console.log(error.code); }
        const trolley: Trolley = await Trolley.load(fetch('trolley.wasm'));
        console.log(added, name, waiting, end, trolley.lines('milk')[0].quantity);
    """)
    assert right.returncode == 0, right.stdout
    page = check("shopping.mjs", (EXAMPLE / "shopping.js").read_text())
    assert page.returncode == 0, page.stdout
    for wrong in ["device.makeList(7)", "device.list('a').add()", "device.list('a').invite({ permission: 'all' })", "device.state.sync.pace", "device.nonsense()"]:
        refused = check("wrong.mts", f"import {{ TrolleyDevice }} from 'trolley/device'; const device = await TrolleyDevice.start(); {wrong};")
        assert refused.returncode != 0 and "wrong.mts" in refused.stdout, (wrong, refused.stdout)


def test_node_finds_the_module_in_the_package(place):
    found = subprocess.run(["node", "--input-type=module", "--eval", """
        import { webcrypto } from 'node:crypto';
        import { readFile } from 'node:fs/promises';
        import { createRequire } from 'node:module';
        import { Trolley } from 'trolley';
        globalThis.crypto ??= webcrypto;
        const trolley = await Trolley.load(await readFile(createRequire(import.meta.url).resolve('trolley/trolley.wasm')));
        console.log(JSON.stringify(trolley.lines('2 l milk')));
    """], cwd=place, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    assert json.loads(found.stdout) == [{"text": "milk", "quantity": "2 l", "markedOff": False}]


def test_two_packages_of_one_commit_have_the_same_bytes(place, tmp_path):
    # A relative directory is one of the place from which it is called.
    made = subprocess.run([ROOT / "script/web-package", "."], cwd=tmp_path, capture_output=True, text=True, check=True)
    other = next(place.glob("trolley-*.tgz"))
    assert other.read_bytes() == (tmp_path / other.name).read_bytes(), made.stderr


def test_a_directory_that_is_not_there_is_said(tmp_path):
    made = subprocess.run([ROOT / "script/web-package", tmp_path / "nowhere"], capture_output=True, text=True)
    assert made.returncode == 64 and "usage" in made.stderr
