"""WebKitGTK, the engine that is nearest to Safari's, through Debian's WebKitWebDriver."""

import os
import shutil
import subprocess
import tempfile
import time

from selenium import webdriver
from selenium.common.exceptions import (
    ElementClickInterceptedException, ElementNotInteractableException, JavascriptException, StaleElementReferenceException)
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from app import PASSWORD, comparable
from service import Cable, until

DRIVER = os.environ.get("TROLLEY_TEST_WEBKIT_DRIVER", "/usr/bin/WebKitWebDriver")


# What the page complains of, also from before a reload.
WATCH = """
    if (!window.isWatched) {
        window.isWatched = true;
        const complain = text => { sessionStorage.complaints = `${sessionStorage.complaints ?? ''}${text}\\n`; };
        const { error } = console;
        console.error = (...texts) => { complain(texts.join(' ')); error(...texts); };
        addEventListener('error', event => complain(`${event.message} ${event.filename}:${event.lineno}`));
        addEventListener('unhandledrejection', event => complain(`not handled: ${event.reason} ${event.reason?.stack}`));
        addEventListener('securitypolicyviolation', event => complain(`policy: ${event.violatedDirective} ${event.blockedURI}`));
    }
"""


class Display:
    """A screen for browsers that need one."""

    def __init__(self):
        read, write = os.pipe()
        self.process = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x900x24", "-nolisten", "tcp"],
            pass_fds=[write], stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as number:
            self.name = f":{number.readline().strip()}"

    def close(self):
        self.process.terminate()
        self.process.wait(20)


class Driver:
    """A WebKitGTK without a page, and with storage of its own, which no other browser on this machine shares."""

    def __init__(self, display):
        self.home = tempfile.mkdtemp(prefix="trolley-webkit-")
        options = webdriver.WebKitGTKOptions()
        options.add_argument("--automation")
        environment = {
            **os.environ, "DISPLAY": display.name, "GDK_BACKEND": "x11", "LIBGL_ALWAYS_SOFTWARE": "1",
            "XDG_DATA_HOME": self.home, "XDG_CACHE_HOME": self.home, "XDG_CONFIG_HOME": self.home}
        self.page = webdriver.WebKitGTK(
            options=options, service=webdriver.WebKitGTKService(executable_path=DRIVER, env=environment))

    def close(self):
        self.page.quit()
        shutil.rmtree(self.home, ignore_errors=True)


class WebKit:
    """A page of the app, as a person uses it."""

    def __init__(self, service, display):
        self.cable = Cable(service)
        self.browser = Driver(display)
        self.driver = self.browser.page

    def open(self, path="/"):
        self.driver.get(self.cable.address + path)
        self.script(WATCH)
        return self

    def reload(self):
        self.driver.refresh()
        self.script(WATCH)
        return self

    def find(self, selector):
        """The element, once it is shown."""

        def shown():
            try:
                return next((one for one in self.driver.find_elements(By.CSS_SELECTOR, selector) if one.is_displayed()), None)
            except StaleElementReferenceException:
                return None

        return until(shown, selector)

    def click(self, selector):
        """Clicks the element, once nothing that moves is above it. The driver clicks a place: if the element moves away from it at that
        moment, because a row appears above it, something else gets the click."""

        refusals = {}

        def clicked():
            try:
                element = self.find(selector)
                self.driver.execute_script("""
                    globalThis.wasClicked = false;
                    arguments[0].addEventListener('click', () => { globalThis.wasClicked = true; }, { capture: true, once: true });""", element)
                element.click()
                refusal = "it moved away" if self.script("return globalThis.wasClicked") is False else None
            except (ElementClickInterceptedException, ElementNotInteractableException, StaleElementReferenceException) as error:
                refusal = type(error).__name__
            if refusal is None:
                return True
            # What lies at the middle of the element.
            above = self.driver.execute_script("""
                const box = document.querySelector(arguments[0])?.getBoundingClientRect();
                const top = box && document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
                return JSON.stringify([box, innerWidth, innerHeight, top?.outerHTML.slice(0, 200)]);""", selector)
            refusals[(refusal, above)] = refusals.get((refusal, above), 0) + 1
            return False

        try:
            until(clicked, f"a click on {selector}")
        except AssertionError as error:
            raise AssertionError(f"{error}; refused: {refusals}") from error

    def fill(self, selector, text):
        field = self.find(selector)
        field.clear()
        field.send_keys(text)

    def newcomer(self, name):
        self.open()
        self.fill("input[name=name]", name)
        self.email = f"{name.lower()}-{time.time_ns()}@example.com"
        self.fill("input[name=email]", self.email)
        self.fill("input[name=password]", PASSWORD)
        self.click("form:not(:has([name=need])) button[type=submit]")
        self.find(".new-list")
        return self

    def new_list(self, name):
        self.click(".new-list")
        self.fill("dialog input[name=name]", name)
        self.click("dialog button[type=submit]")
        until(lambda: self.find(".title h1").get_attribute("textContent") == name, f"the list {name} is open")
        return self

    def link(self):
        self.click(".faces")
        self.click(".invite .primary")
        link = self.find(".linkline input").get_attribute("value")
        self.click("dialog .sheet-head .icon-button")
        return link.replace(self.cable.address, "")

    def add(self, *texts):
        for text in texts:
            self.find(".addline input").send_keys(text, Keys.ENTER)
            until(lambda: self.find(".addline input").get_attribute("value") == "", "the line is taken")
        return self

    @property
    def texts(self):
        return self.script("return [...document.querySelectorAll('.row .text')].map(text => text.textContent)")

    def sees(self, *texts):
        until(lambda: self.texts == list(texts), f"the rows {texts}, not {self.texts}")
        return self

    def script(self, text):
        return self.driver.execute_script(text)

    def stored(self, work):
        """What IndexedDB has: `work` is of a transaction, and answers a request."""
        try:
            return self.driver.execute_async_script("""
                const done = arguments[arguments.length - 1], request = indexedDB.open('trolley');
                request.onsuccess = () => {
                    const database = request.result;
                    const read = (WORK)(database.transaction([...database.objectStoreNames]));
                    read.onsuccess = () => { database.close(); done(read.result); };
                };
            """.replace("WORK", work))
        except JavascriptException:
            return None

    def state(self):
        """What it showed last of the only list, as it is stored."""
        folds = self.stored("transaction => transaction.objectStore('folds').getAll()")
        return comparable(folds[0]["state"]) if folds else None

    def waiting(self):
        return len(self.stored("transaction => transaction.objectStore('pending').getAll()"))

    @property
    def complaints(self):
        return self.script("return sessionStorage.complaints ?? ''")

    def close(self):
        self.browser.close()
