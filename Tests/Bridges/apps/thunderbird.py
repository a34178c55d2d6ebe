"""Thunderbird without a display, with a profile of its own. It is driven by Marionette, the protocol of Mozilla's own tests, and does what
its windows call: find calendars by an address, subscribe, write tasks, synchronize."""

import contextlib
import json
import pathlib
import shutil
import socket
import subprocess
import time

from program import Refused, Unavailable

#: For its start and for a command, on a busy machine.
SECONDS = 180
#: It asks nobody and nothing at its start, and looks for changes when the judge says so.
PREFERENCES = {
    'marionette.port': 0,
    # They would keep it from saving passwords.
    'remote.prefs.recommended': False,
    'mail.provider.suppress_dialog_on_startup': True,
    'mail.spotlight.firstRunDone': True,
    'mail.winsearch.firstRunDone': True,
    'mailnews.start_page.enabled': False,
    'datareporting.policy.dataSubmissionPolicyBypassNotification': True,
    'app.update.disabledForTesting': True,
    'extensions.update.enabled': False,
    'services.settings.server': 'data:,#remote-settings-dummy/v1',
    'network.captive-portal-service.enabled': False,
    'network.connectivity-service.enabled': False,
    'calendar.timezone.local': 'UTC',
    'calendar.timezone.useSystemTimezone': False,
}

#: What each command begins with. `judged.told` has what Thunderbird asks its user; the answer is always no.
PRELUDE = r'''
const { cal } = ChromeUtils.importESModule("resource:///modules/calendar/calUtils.sys.mjs");
const { CalTodo } = ChromeUtils.importESModule("resource:///modules/CalTodo.sys.mjs");
const judged = (cal.judged ??= {});
const window = cal.window.getCalendarWindow();
judged.told = [];
cal.provider.promptOverwrite = (mode, item) => {
    judged.told.push(`somebody else has changed ${item.title}`);
    return false;
};
const refresh = async () => {
    judged.refreshing ??= judged.calendar.wrappedJSObject.refresh().finally(() => { judged.refreshing = null; });
    // One that begins while the service is away never ends.
    await Promise.race([judged.refreshing, new Promise(resolve => window.setTimeout(resolve, 20000))]);
};
const items = () => judged.calendar.getItemsAsArray(
    Ci.calICalendar.ITEM_FILTER_TYPE_TODO | Ci.calICalendar.ITEM_FILTER_COMPLETED_ALL, 0, null, null);
const find = async summary => {
    const found = (await items()).filter(each => each.title == summary);
    if (found.length != 1) { throw new Error(`${found.length} tasks are named ${summary}`); }
    return found[0];
};
// Of a connection that breaks it says now and then that the server has replied with -1, and keeps nothing. Its user does it again.
const again = async change => {
    for (let tries = 1; ; tries++) {
        try { return await change(); } catch (error) {
            if (tries == 10 || !String(error?.message || error).includes("-1")) { throw error; }
        }
    }
};
const modify = async (summary, change) => {
    const old = await find(summary);
    const changed = old.clone();
    change(changed);
    await again(() => judged.calendar.modifyItem(changed, old));
    if (judged.told.length) { throw new Error(judged.told.join(", ")); }
};
const discovered = (url, user, password) => cal.provider.caldav.detectCalendars(user, password, url, true);
'''

COMMANDS = {
    'find': 'return (await discovered(url, user, password)).map(each => each.name);',
    'open': '''
        let calendar = cal.manager.getCalendars().find(each => each.type == "caldav" && each.name == name);
        const isNew = !calendar;
        if (isNew) {
            calendar = (await discovered(url, user, password)).find(each => each.name == name);
            calendar.setProperty("cache.enabled", true);
            // "Manually": it would take the password for a wrong one if two looked for changes at once.
            calendar.setProperty("refreshInterval", "0");
            cal.manager.registerCalendar(calendar);
        }
        judged.calendar = cal.manager.getCalendarById(calendar.id);
        if (isNew) { await refresh(); }''',
    'ready': 'return !judged.calendar.readOnly;',
    'refresh': 'await refresh();',
    'tasks': 'return (await items()).map(each => [each.title, each.isCompleted]);',
    'texts': 'return (await items()).map(each => each.icalString);',
    'add': '''
        const todo = new CalTodo();
        todo.title = summary;
        await again(() => judged.calendar.addItem(todo));''',
    'done': 'await modify(summary, each => { each.isCompleted = true; });',
    'rename': 'await modify(summary, each => { each.title = to; });',
    'describe': '''
        await modify(summary, each => {
            each.descriptionText = note;
            each.dueDate = cal.createDateTime(due);
        });''',
    'delete': 'await judged.calendar.deleteItem(await find(summary));',
}
PARAMETERS = {'open': 'name', 'add': 'summary', 'done': 'summary', 'rename': 'summary, to', 'describe': 'summary, note, due',
              'delete': 'summary'}


class Marionette:
    """JSON over TCP, each message after its length: `[0, id, command, parameters]`, answered by `[1, id, error, result]`."""

    def __init__(self, port):
        self.stream = socket.create_connection(('127.0.0.1', port), SECONDS).makefile('rwb')
        self.count = 0
        self.receive()
        # Chrome's scripts may take as long as a command of the judge.
        self.send('WebDriver:NewSession', capabilities={'alwaysMatch': {'timeouts': {'script': SECONDS * 1000}}})
        self.send('Marionette:SetContext', value='chrome')

    def receive(self):
        length = b''
        while (byte := self.stream.read(1)) != b':':
            if not byte:
                raise RuntimeError('Thunderbird has ended')
            length += byte
        return json.loads(self.stream.read(int(length)))

    def send(self, command, **parameters):
        self.count += 1
        message = json.dumps([0, self.count, command, parameters]).encode()
        self.stream.write(b'%d:%b' % (len(message), message))
        self.stream.flush()
        _, _, error, result = self.receive()
        if error:
            raise RuntimeError(f'{command}: {error["message"]}')
        return result

    def run(self, script, *arguments):
        """Runs the body of an asynchronous function with `arguments`."""
        answer = self.send('WebDriver:ExecuteAsyncScript', args=list(arguments), newSandbox=False, script=f'''
            const [answer, ...given] = [...arguments].toReversed();
            (async () => {{ {script} }})().then(
                value => answer({{ value: value ?? null }}),
                error => answer({{ error: String(error?.message || error) }}));''')['value']
        if answer is None:
            raise Refused('a dialog was open')
        if 'error' in answer:
            raise Refused(answer['error'])
        return answer['value']


class Thunderbird:
    """The commands of evolution.py."""

    def __init__(self, home, url, user, password):
        if not shutil.which('thunderbird'):
            raise Unavailable('the package thunderbird is missing')
        self.account = url, user, password
        profile = pathlib.Path(home, 'profile')
        profile.mkdir(exist_ok=True)
        (profile / 'user.js').write_text(''.join(
            f'user_pref({json.dumps(name)}, {json.dumps(value)});\n' for name, value in PREFERENCES.items()))
        port = profile / 'MarionetteActivePort'
        port.unlink(missing_ok=True)
        with pathlib.Path(home, 'log').open('ab') as log:
            self.process = subprocess.Popen(
                ['thunderbird', '--headless', '--no-remote', '--marionette', '--remote-allow-system-access', '--profile', profile],
                env={'HOME': str(home), 'PATH': '/usr/bin:/bin', 'LANG': 'C.UTF-8', 'TZ': 'UTC'}, stdin=subprocess.DEVNULL,
                stdout=log, stderr=log)
        try:
            end = time.monotonic() + SECONDS
            while not port.exists() or not port.read_text():
                if time.monotonic() > end or self.process.poll() is not None:
                    raise RuntimeError('Thunderbird does not start')
                time.sleep(0.1)
            self.marionette = Marionette(int(port.read_text()))
        except (RuntimeError, OSError):
            self.process.kill()
            self.process.wait()
            raise

    def do(self, command, *arguments):
        names = ['url', 'user', 'password', *PARAMETERS.get(command, '').split(', ')]
        values = dict(zip(names, (*self.account, *arguments)))
        script = f'{PRELUDE} const {{ {", ".join(values)} }} = given[0]; {COMMANDS[command]}'
        return self.marionette.run(script, values)

    def end(self):
        """As its user ends it."""
        with contextlib.suppress(RuntimeError, OSError):
            self.marionette.send('Marionette:Quit', flags=['eAttemptQuit'])
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
