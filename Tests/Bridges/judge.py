"""Runs other people's CalDAV programs against servers.

    judge.py vdirsyncer URL USER PASSWORD DIRECTORY     a task goes through vdirsyncer and todoman, both ways
    judge.py table DOCUMENT BIN 'NAME|URL|USER|PASSWORD' …   writes the table of all judges and servers
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import time

import caldav

BIN = pathlib.Path(sys.executable).parent
HERE = pathlib.Path(__file__).parent


def run(*command, cwd=None, **environment):
    done = subprocess.run([str(each) for each in command], capture_output=True, text=True, timeout=600, cwd=cwd,
                          env={**os.environ, **environment})
    if done.returncode:
        raise RuntimeError(f'{pathlib.Path(str(command[0])).name}: {done.stdout[-2000:]}{done.stderr[-2000:]}')
    return done.stdout


def vdirsyncer(url, user, password, directory):
    """A task of todoman reaches the server by vdirsyncer, and a change there comes back."""
    home = pathlib.Path(directory)
    home.mkdir(parents=True, exist_ok=True)
    principal = caldav.DAVClient(url=url, username=user, password=password).principal()
    calendar = principal.make_calendar(name='Synced', supported_calendar_component_set=['VTODO'])
    name = str(calendar.url).rstrip('/').split('/')[-1]
    (home / 'config').write_text(f'''
[general]
status_path = "{home}/status/"
[pair lists]
a = "here"
b = "there"
collections = [{json.dumps(name)}]
conflict_resolution = "b wins"
[storage here]
type = "filesystem"
path = "{home}/lists/"
fileext = ".ics"
[storage there]
type = "caldav"
url = {json.dumps(url)}
username = {json.dumps(user)}
password = {json.dumps(password)}
item_types = ["VTODO"]
''')
    (home / 'todo.py').write_text(f'path = "{home}/lists/*"\ndefault_list = {name!r}\ndate_format = "%Y-%m-%d"\n'
                                  'time_format = "%H:%M"\n')

    def sync():
        run(BIN / 'vdirsyncer', '-c', home / 'config', 'sync')

    def todo(*arguments):
        return run(BIN / 'todo', '--config', home / 'todo.py', *arguments, XDG_CACHE_HOME=str(home / 'cache'))

    subprocess.run([BIN / 'vdirsyncer', '-c', home / 'config', 'discover', 'lists'], input='y\n' * 4, text=True,
                   capture_output=True, timeout=120, check=True)
    sync()
    todo('new', '--list', name, '2 l milk')
    sync()
    (milk,) = calendar.todos()
    assert 'milk' in str(milk.icalendar_component['summary']), milk.data
    calendar.add_todo(summary='Bread')
    sync()
    assert 'Bread' in todo('list'), todo('list')
    milk.complete()
    sync()
    assert 'milk' not in todo('list'), todo('list')
    number = re.search(r'\[ \]\s*(\d+)', todo('list'))[1]
    todo('done', number)
    sync()
    assert not calendar.todos(), [each.data for each in calendar.todos()]
    calendar.delete()


def tester(url, user, password):
    """caldav-server-tester: how many of the features that it reports are there, and which are not."""
    done = subprocess.run(
        [BIN / 'caldav-server-tester', '--caldav-url', url, '--caldav-username', user, '--caldav-password', password,
         '--format', 'json'], capture_output=True, text=True, timeout=900)
    start = done.stdout.find('{')
    features = json.loads(done.stdout[start:])['features']
    support = {name: value.get('support') for name, value in features.items() if 'support' in value}
    return sum(value == 'full' for value in support.values()), len(support), {
        name: value for name, value in support.items() if value != 'full'}


def tasks(url, user, password):
    done = subprocess.run([sys.executable, HERE / 'tasks.py', url, user, password, '--json'], capture_output=True,
                          text=True, timeout=600)
    answer = json.loads(done.stdout.strip().splitlines()[-1])
    return answer['passed'], answer['passed'] + len(answer['failed']), answer['failed']


def first_report(url, user, password, count=1000):
    """Seconds of a calendar-query with all data on a list of so many tasks, the best of three."""
    principal = caldav.DAVClient(url=url, username=user, password=password).principal()
    calendar = principal.make_calendar(name='Long', supported_calendar_component_set=['VTODO'])
    for number in range(count):
        calendar.add_todo(summary=f'Item {number}', uid=f'long-{number}', no_overwrite=False)
    body = ('<c:calendar-query xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><d:prop><d:getetag/>'
            '<c:calendar-data/></d:prop><c:filter><c:comp-filter name="VCALENDAR"><c:comp-filter name="VTODO"/>'
            '</c:comp-filter></c:filter></c:calendar-query>')
    seconds = []
    for _ in range(3):
        began = time.monotonic()
        answer = calendar.client.request(str(calendar.url), 'REPORT', body, {'Depth': '1'})
        seconds.append(time.monotonic() - began)
        assert 'Item 0' in str(answer.raw), answer.status
    calendar.delete()
    return min(seconds)


def table(document, servers):
    rows = {'`Tests/Bridges/tasks.py`': [], '`caldav-server-tester` 1.7.0': [], 'vdirsyncer 0.21 and todoman 4.7, both ways': [],
            'all data of 1,000 tasks': []}
    notes = []
    for server in servers:
        name, url, user, password = server.split('|')
        passed, total, failed = tasks(url, user, password)
        rows['`Tests/Bridges/tasks.py`'].append(f'{passed} of {total}')
        notes += [f'- {name}, `tasks.py`: {each}.' for each in failed]
        full, total, lacking = tester(url, user, password)
        rows['`caldav-server-tester` 1.7.0'].append(f'{full} of {total}')
        notes += [f'- {name}, `caldav-server-tester`: ' + ', '.join(
            f'`{each}` {value}' for each, value in sorted(lacking.items())) + '.']
        try:
            vdirsyncer(url, user, password, pathlib.Path(os.environ.get('TMPDIR', '/tmp')) / f'bridges-{os.getpid()}-{len(notes)}')
            rows['vdirsyncer 0.21 and todoman 4.7, both ways'].append('passed')
        except Exception as error:  # noqa: BLE001: any failure is a result
            print(f'{name}: vdirsyncer: {error}', file=sys.stderr)
            rows['vdirsyncer 0.21 and todoman 4.7, both ways'].append('failed')
        rows['all data of 1,000 tasks'].append(f'{first_report(url, user, password):.2f} s')
    names = [server.split('|')[0] for server in servers]
    lines = [f'| judge | {" | ".join(names)} |', '|---|' + '---|' * len(names)]
    lines += [f'| {row} | {" | ".join(cells)} |' for row, cells in rows.items()]
    lines += ['', 'What failed:', '', *notes]
    path = pathlib.Path(document)
    text = path.read_text()
    begin, end = '<!-- judges:begin -->\n', '<!-- judges:end -->'
    before, rest = text.split(begin)
    path.write_text(before + begin + '\n'.join(lines) + '\n' + end + rest.split(end)[1])
    print('\n'.join(lines))


if sys.argv[1] == 'vdirsyncer':
    vdirsyncer(*sys.argv[2:6])
    print('vdirsyncer and todoman: passed')
else:
    table(sys.argv[2], sys.argv[4:])
