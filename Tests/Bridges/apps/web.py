"""A person's browser with the web app, by the page of the browser tests (Tests/Browser/app.py).

    PYTHON web.py ADDRESS EMAIL PASSWORD

PYTHON is that of script/browser-tests. Commands and answers are those of evolution.py.
"""

import json
import pathlib
import sys
import types
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / 'Browser'))

from app import DESKTOP, NO_WORKER, SUBMIT, App  # noqa: E402
from conftest import ARGUMENTS, CHROMIUM  # noqa: E402
from playwright.sync_api import Error, sync_playwright  # noqa: E402

address, email, password = sys.argv[1:]


def sign_in(app):
    app.open().page.click('.switch .link')
    app.fill('email', email)
    app.fill('password', password)
    app.page.click(SUBMIT)
    app.page.wait_for_selector('.new-list')


def digest(app):
    return app.evaluate('async (device, list) => (await device.open(list)).handle.digest()', app.list)['confirmed']


COMMANDS = {
    'sign in': sign_in,
    'open': lambda app, name: app.open_list(name) and None,
    'add': lambda app, text: app.add(text).settled() and None,
    'items': lambda app: app.state()['items'],
    'digest': digest,
}


def main():
    complaints = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        app = App(browser, types.SimpleNamespace(port=urllib.parse.urlparse(address).port), complaints, **DESKTOP)
        app.context.add_init_script(NO_WORKER)
        for line in sys.stdin:
            command, *arguments = json.loads(line)
            try:
                answer = {'answer': COMMANDS[command](app, *arguments)}
            except (AssertionError, Error) as error:
                answer = {'error': f'{error}\n{app.account()}'}
            if complaints:
                answer = {'error': '; '.join(complaints)}
            print(json.dumps(answer), flush=True)
        browser.close()


main()
