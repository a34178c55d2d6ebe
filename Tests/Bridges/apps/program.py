"""A task app in a process of its own. It reads commands and writes answers, a line of JSON each."""

import collections
import json
import os
import pathlib
import queue
import shutil
import subprocess
import threading

HERE = pathlib.Path(__file__).parent
#: The system's Python: Debian's packages bring the libraries.
PYTHON = '/usr/bin/python3'
SECONDS = 120


class Unavailable(Exception):
    """Why this app can't run here."""


class Refused(Exception):
    """The app told of an error."""


class Program:
    def __init__(self, *command, environment, log):
        self.log = pathlib.Path(log)
        with self.log.open('ab') as errors:
            self.process = subprocess.Popen([str(each) for each in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=errors, text=True, env=environment)
        self.answers = queue.Queue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            # Programs that it starts write to the same output.
            if line.startswith(('{"answer"', '{"error"')):
                self.answers.put(json.loads(line))
        self.answers.put(None)

    def do(self, *command):
        try:
            self.process.stdin.write(json.dumps(command) + '\n')
            self.process.stdin.flush()
            answer = self.answers.get(timeout=SECONDS)
        except (BrokenPipeError, queue.Empty):
            answer = None
        if answer is None:
            last = collections.deque(self.log.read_text(errors='replace').splitlines(), 5)
            raise RuntimeError(f'{command[0]}: no answer; its log ends: ' + ' | '.join(last))
        if 'error' in answer:
            raise Refused(f'{command[0]}: {answer["error"]}')
        return answer['answer']

    def end(self):
        """Ends it as its user would. What it has not finished then is lost."""
        self.process.stdin.close()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.reader.join(30)


def evolution(home, url, user, password):
    """evolution-data-server, with a desktop's session of its own, and with its data in `home`."""
    for each in ('dbus-run-session', PYTHON):
        if not shutil.which(each):
            raise Unavailable(f'{each} is missing')
    looked = subprocess.run(
        [PYTHON, '-c', 'import gi; gi.require_version("ECal", "2.0"); gi.require_version("EDataServer", "1.2")'], capture_output=True)
    if looked.returncode or not pathlib.Path('/usr/libexec/evolution-calendar-factory').exists():
        raise Unavailable('the packages evolution-data-server, gir1.2-ecal-2.0 and python3-gi are missing')
    # Nothing of the person who runs the test, whose own desktop may be there.
    environment = {'HOME': str(home), 'PATH': '/usr/bin:/bin', 'LANG': 'C.UTF-8', 'TZ': 'UTC'}
    return Program('dbus-run-session', '--', PYTHON, HERE / 'evolution.py', url, user, password, environment=environment,
                   log=pathlib.Path(home, 'log'))


def home_assistant(home, url, user, password):
    """Home Assistant with its own component for CalDAV. TROLLEY_HOMEASSISTANT has its Python and the component's packages."""
    python, _, packages = os.environ.get('TROLLEY_HOMEASSISTANT', '').partition(':')
    if not python:
        raise Unavailable('Home Assistant is not installed')
    environment = {'HOME': str(home), 'PATH': '/usr/bin:/bin', 'LANG': 'C.UTF-8', 'TZ': 'UTC'}
    return Program(python, HERE / 'house.py', packages, url, user, password, environment=environment, log=pathlib.Path(home, 'log'))


def assistant(home, address, token):
    """The client of the Model Context Protocol, which script/clients installs."""
    python = next((each.with_name('bin') / 'python' for each in (HERE.parents[2] / '.build-tools').glob('clients-*/installed')), None)
    if python is None:
        raise Unavailable('its client is missing: script/clients installs it')
    return Program(python, HERE / 'assistant.py', address, token, environment=dict(os.environ), log=pathlib.Path(home, 'log'))


def web(home, address, email, password):
    """The web app in a browser, by the packages of script/browser-tests and the files of script/web."""
    root = HERE.parents[2]
    python = next(iter(sorted((root / '.build-tools').glob('browser-*/bin/python'))), None)
    if python is None:
        raise Unavailable('Playwright is missing: script/browser-tests installs it')
    browser = os.environ.get('TROLLEY_TEST_CHROMIUM', '/usr/bin/chromium-headless-shell')
    if not shutil.which(browser):
        raise Unavailable(f'{browser} is missing')
    if not (root / '.build/web/files').exists():
        raise Unavailable('the web app is not built: script/web')
    return Program(python, HERE / 'web.py', address, email, password, environment=dict(os.environ), log=pathlib.Path(home, 'log'))
