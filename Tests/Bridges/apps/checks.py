"""A household's task apps, each judged by the same checks: one list, which the app and another program (the library `caldav`) change.

    checks.py APP URL USER PASSWORD [OTHER]     prints each check that fails, and why

OTHER is the other program's password; without it, it has the app's.
APP is `evolution`, `homeassistant`, `syncevolution` or `thunderbird`.
"""

import contextlib
import datetime
import pathlib
import re
import sys
import tempfile
import time
import urllib.parse
import uuid

import caldav

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parents[2] / 'HomeAssistant')]
from cable import Cable  # noqa: E402
from program import Refused, Unavailable, evolution, home_assistant  # noqa: E402
from syncevolution import SyncEvolution  # noqa: E402
from thunderbird import Thunderbird  # noqa: E402

#: For the app's own pace, on a busy machine.
SECONDS = 30


def eventually(condition, what, between=lambda: None):
    """Waits for a condition; `between` is done again each second."""
    end, again = time.monotonic() + SECONDS, 0
    while True:
        if time.monotonic() >= again:
            between()
            again = time.monotonic() + 1
        if condition():
            return
        assert time.monotonic() < end, f'never within {SECONDS} s: {what() if callable(what) else what}'
        time.sleep(0.1)


class Server:
    """The list as another program has it."""

    def __init__(self, url, user, password):
        self.name = f'Shop {uuid.uuid4().hex[:6]}'
        principal = caldav.DAVClient(url=url, username=user, password=password).principal()
        self.calendar = principal.make_calendar(
            name=self.name, cal_id=str(uuid.uuid4()), supported_calendar_component_set=['VTODO'])

    def todos(self, summary=None):
        return [each for each in self.calendar.todos(include_completed=True)
                if summary in (None, str(each.icalendar_component['summary']))]

    def tasks(self):
        return sorted((str(each.icalendar_component['summary']), each.icalendar_component.get('status') == 'COMPLETED')
                      for each in self.todos())

    def add(self, summary, **more):
        self.calendar.add_todo(summary=summary, **more)

    def edit(self, summary, /, **properties):
        (each,) = self.todos(summary)
        with each.edit_icalendar_component() as component:
            for name, value in properties.items():
                component.pop(name, None)
                component.add(name, value)
        each.save()

    def mark_off(self, summary):
        (each,) = self.todos(summary)
        each.complete()

    def delete(self, summary):
        (each,) = self.todos(summary)
        each.delete()


class Judged:
    """One app with one server, and what was found."""

    def __init__(self, start, abilities, url, user, password, other=None):
        self.start_app, self.user, self.password, self.abilities = start, user, password, abilities
        # The programs of a session that has ended may still write for a moment.
        self.directory = tempfile.TemporaryDirectory(prefix='trolley-app-', ignore_cleanup_errors=True)
        self.server = Server(url, user, other or password)
        address = urllib.parse.urlparse(url)
        self.cable = Cable(address.port)
        # The app reaches the service by a cable, which can be cut.
        self.url = address._replace(netloc=f'127.0.0.1:{self.cable.port}').geturl()
        self.passed, self.failed = [], {}
        self.app = None

    def start(self):
        self.app = self.start_app(self.directory.name, self.url, self.user, self.password)

    def end(self):
        if self.app:
            self.app.end()
        self.cable.end()
        self.directory.cleanup()
        self.server.calendar.delete()

    def tasks(self):
        return sorted((summary, done) for summary, done in self.app.do('tasks'))

    def sees(self):
        """The app comes to show what the server has: nothing is missing, old, or there twice."""
        eventually(lambda: self.tasks() == self.server.tasks(), lambda: f'the app shows {self.tasks()}, not {self.server.tasks()}',
                   lambda: self.app.do('refresh'))

    def reaches(self, summary, done=False):
        """The server comes to have this task, once."""
        eventually(lambda: [each for each in self.server.tasks() if each[0] == summary] == [(summary, done)],
                   lambda: f'{summary}: the server has {self.server.tasks()}')

    def open(self):
        self.app.do('open', self.server.name)
        eventually(lambda: self.app.do('ready'), 'the app opens the list')

    def check(self, name, body):
        try:
            body()
            self.passed.append(name)
        except Exception as error:  # noqa: BLE001: any failure is a result
            self.failed[name] = ' '.join(f'{type(error).__name__}: {error}'.split())[:500]

    def all(self):
        """Each check goes on from the one before."""
        self.start()
        server, app = self.server, lambda *command: self.app.do(*command)
        server.add('Bread', description='rye, sliced', categories=['Bakery'])
        server.add('Butter')

        def finds():
            assert server.name in app('find'), app('find')

        def shows():
            self.open()
            self.sees()

        def adds():
            app('add', 'Milk')
            self.reaches('Milk')

        def marks_off():
            app('done', 'Bread')
            self.reaches('Bread', True)
            (bread,) = server.todos('Bread')
            assert 'DESCRIPTION:rye\\, sliced' in bread.data and 'CATEGORIES:Bakery' in bread.data, bread.data

        def renames():
            app('rename', 'Milk', 'Oat milk')
            self.reaches('Oat milk')
            assert not server.todos('Milk'), server.tasks()

        def describes():
            app('describe', 'Oat milk', 'the blue one', '20270110')
            eventually(lambda: 'DESCRIPTION:the blue one' in server.todos('Oat milk')[0].data,
                       lambda: f'the server has {server.todos("Oat milk")[0].data}')
            (milk,) = server.todos('Oat milk')
            assert re.search('^DUE[^:]*:20270110', milk.data, re.MULTILINE), milk.data

        def keeps():
            server.add('Flour')
            server.edit('Flour', **{'priority': 3, 'due': datetime.date(2027, 1, 10), 'x-custom': 'kept'})
            self.sees()
            app('rename', 'Flour', 'Rye flour')
            self.reaches('Rye flour')
            (flour,) = server.todos('Rye flour')
            for line in ('PRIORITY:3', 'DUE[^:]*:20270110', 'X-CUSTOM:kept'):
                assert re.search(f'^{line}', flour.data, re.MULTILINE), f'{line} is lost: {flour.data}'

        def sees_a_task():
            server.add('Salt')
            self.sees()

        def sees_an_edit():
            server.edit('Salt', summary='Sea salt')
            server.mark_off('Butter')
            self.sees()

        def sees_a_deletion():
            server.delete('Butter')
            self.sees()

        def edits_an_old_copy(summary, to, *options):
            server.add(summary)
            self.sees()
            note = f'a note on {summary}'
            server.edit(summary, description=note)
            try:
                app('rename', summary, to, *options)
                self.reaches(to)
            except Refused:
                # A server may refuse it, if the person is told and others' edit arrives.
                self.sees()
                app('rename', summary, to)
                self.reaches(to)
            (each,) = server.todos(to)
            assert f'DESCRIPTION:{note}' in each.data, f'the note is lost: {each.data}'

        def deletes():
            server.add('Pepper')
            self.sees()
            app('delete', 'Pepper')
            eventually(lambda: not server.todos('Pepper'), lambda: f'the server has {server.tasks()}')

        def starts_again():
            self.app.end()
            server.add('Tea')
            self.start()
            self.open()
            self.sees()

        def shows_its_copy():
            self.app.end()
            self.cable.cut()
            self.start()
            app('open', server.name)
            eventually(lambda: self.tasks() == server.tasks(), lambda: f'it shows {self.tasks()}')

        def sends_what_waits():
            for command in (('add', 'Eggs'), ('done', 'Tea')):
                # SyncEvolution says that the service isn't there, and keeps the change.
                with contextlib.suppress(Refused):
                    app(*command)
            self.app.end()
            server.add('Rice')
            self.start()
            app('open', server.name)
            self.cable.mend()
            self.sees()
            self.reaches('Eggs')
            self.reaches('Tea', True)

        checks = {
            'it finds the list': finds, 'it shows the tasks': shows, 'a new task reaches the server': adds,
            'a mark reaches the server, and the note and the category stay': marks_off, 'an edit reaches the server': renames,
            'a note and a due date reach the server': describes,
            'an edit keeps the due date, the priority and what the app does not know': keeps,
            "others' new task arrives": sees_a_task, "others' edit and mark arrive": sees_an_edit,
            "others' deletion arrives": sees_a_deletion,
            'an edit of an old copy loses neither edit': lambda: edits_an_old_copy('Rye', 'Rye bread'),
            'a deletion reaches the server': deletes, 'it starts again': starts_again,
        }
        if 'If-Match' in self.abilities:
            checks['an edit of an old copy, with If-Match, loses neither edit'] = lambda: edits_an_old_copy('Oil', 'Olive oil', True)
        if 'copy' in self.abilities:
            checks |= {'it starts without the service, and shows its copy': shows_its_copy,
                       'changes made without the service are sent after one more start': sends_what_waits}
        for name, body in checks.items():
            self.check(name, body)


#: How each starts, and what it can do that others can't: it keeps a copy that it works with while the service is away; it can say
#: which copy it has edited.
APPS = {
    'evolution': (evolution, {'copy', 'If-Match'}),
    'homeassistant': (home_assistant, set()),
    'syncevolution': (SyncEvolution, {'copy'}),
    'thunderbird': (Thunderbird, {'copy'}),
}


def judge(app, *access):
    """The checks that pass, and why the others fail. The access is the server's address, the user and the password, and perhaps the
    other program's password."""
    judged = Judged(*APPS[app], *access)
    try:
        judged.all()
    finally:
        judged.end()
    return judged.passed, judged.failed


if __name__ == '__main__':
    try:
        passed, failed = judge(*sys.argv[1:])
    except Unavailable as why:
        print(f'not run: {why}')
        sys.exit(0)
    for name, why in failed.items():
        print(f'{name}: {why}')
    print(f'{len(passed)} of {len(passed) + len(failed)}')
    sys.exit(1 if failed else 0)
