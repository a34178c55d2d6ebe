"""Runs other people's CalDAV programs against servers.

    judge.py vdirsyncer URL USER PASSWORD DIRECTORY     a task goes through vdirsyncer and todoman, both ways
    judge.py table DOCUMENT 'NAME|URL|USER|PASSWORD' …  writes the table of all judges and servers
    judge.py apps DOCUMENT 'NAME|URL|USER|PASSWORD' …   writes the table of task apps and servers

A server's fifth part is another program's password, for the changes that task apps are to see.
"""

import ast
import collections
import concurrent.futures
import contextlib
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import caldav

import caldavtester
from apps import checks

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


# What a list has not: series, entries of a diary, invitations and free time; what only says that `tester.py` translates; and what RFC 4791
# forbids (a time range without a component).
NOT_OF_LISTS = re.compile(r'recurrences|journal|scheduling|freebusy|with-supported-component-types|comp-type-optional')


def tester(url, user, password):
    """caldav-server-tester: how many of the features that tasks can have, and that it could judge, are there, and which are not."""
    done = subprocess.run(
        [BIN / 'python', HERE / 'tester.py', '--caldav-url', url, '--caldav-username', user, '--caldav-password', password,
         '--format', 'hints'], capture_output=True, text=True, timeout=900)
    features = ast.literal_eval(done.stdout[done.stdout.index('{'):])
    support = {name: value['support'] for name, value in features.items()
               if value.get('support', 'unknown') != 'unknown' and not NOT_OF_LISTS.search(name)}
    return sum(value == 'full' for value in support.values()), len(support), {
        name: value for name, value in support.items() if value != 'full'}


def litmus(url, user, password):
    """A cell: how many tests of plain WebDAV pass where the person's collections are."""
    program = shutil.which('litmus')
    if not program:
        return 'not run'
    with caldav.DAVClient(url, username=user, password=password) as client:
        home = str(client.principal().calendar_home_set.url).rstrip('/') + '/'
    with tempfile.TemporaryDirectory() as directory:
        # It writes what it does into the working directory.
        done = subprocess.run([program, '-k', home, user, password], cwd=directory, capture_output=True, text=True, timeout=300,
                              env=os.environ | {'TESTS': 'basic http props'})
    found = re.findall(r'of (\d+) tests run: (\d+) passed', done.stdout)
    return f'{sum(int(passed) for _, passed in found)} of {sum(int(run) for run, _ in found)}' if found else 'not run'


def tasks(url, user, password):
    done = subprocess.run([sys.executable, HERE / 'tasks.py', url, user, password, '--json'], capture_output=True,
                          text=True, timeout=600)
    answer = json.loads(done.stdout.strip().splitlines()[-1])
    return answer['passed'], answer['passed'] + len(answer['failed']), answer['failed']


TASKS, SYNC, FEATURES = '`Tests/Bridges/tasks.py`', 'vdirsyncer 0.21 and todoman 4.7, both ways', '`caldav-server-tester` 1.7.0'
APPLE = 'Apple\'s CalDAVTester'
LITMUS = '`litmus`: basic, http, props'


def apple(url, user, password):
    """A cell and a note."""
    try:
        passed, failed = caldavtester.run(url, user, password)
    except caldavtester.Unavailable as why:
        return 'not run', f'not run, because {why}'
    by_script = collections.Counter(each.split(': ')[0] for each in failed)
    return (f'{len(passed)} of {len(passed) + len(failed)}',
            ', '.join(f'{script} {count}' for script, count in sorted(by_script.items())))


def judged(server):
    """A server's cells by row, and its notes."""
    name, url, user, password, *_ = server.split('|')
    cells, notes = {}, []
    passed, total, failed = tasks(url, user, password)
    cells[TASKS] = f'{passed} of {total}'
    notes += [f'- {name}, `tasks.py`: {each}.' for each in failed]
    cells[APPLE], note = apple(url, user, password)
    notes.append(f'- {name}, Apple\'s: {note}.')
    try:
        with tempfile.TemporaryDirectory() as directory:
            vdirsyncer(url, user, password, directory)
        cells[SYNC] = 'passed'
    except Exception as error:  # noqa: BLE001: any failure is a result
        print(f'{name}: vdirsyncer: {error}', file=sys.stderr)
        cells[SYNC] = 'failed'
    cells[LITMUS] = litmus(url, user, password)
    full, total, lacking = tester(url, user, password)
    cells[FEATURES] = f'{full} of {total}'
    notes.append(f'- {name}, `caldav-server-tester`: ' + ', '.join(f'`{each}` {value}' for each, value in sorted(lacking.items())) + '.')
    print(f'{name}: ' + ', '.join(f'{row} {cell}' for row, cell in cells.items()), flush=True)
    return cells, notes


def table(document, servers):
    # Downloaded once, before all need it.
    with contextlib.suppress(caldavtester.Unavailable):
        caldavtester.checkout()
    # None of them disturbs another one: most of the time is waiting.
    with concurrent.futures.ThreadPoolExecutor(len(servers)) as executor:
        results = list(executor.map(judged, servers))
    names = [server.split('|')[0] for server in servers]
    lines = [f'| judge | {" | ".join(names)} |', '|---|' + '---|' * len(names)]
    lines += [f'| {row} | {" | ".join(cells[row] for cells, _ in results)} |' for row in [TASKS, APPLE, SYNC, FEATURES, LITMUS]]
    lines += ['', 'What failed, and of Apple\'s how many in each script:', '', *(note for _, notes in results for note in notes)]
    write(document, 'judges', lines)


APPS = {'evolution': 'evolution-data-server: GNOME on phones and desktops', 'homeassistant': "Home Assistant's own `caldav`",
        'syncevolution': 'SyncEvolution, with a directory of tasks', 'thunderbird': 'Thunderbird'}


def app_judged(app, server):
    """A cell and notes."""
    name, *access = server.split('|')
    try:
        passed, failed = checks.judge(app, *access)
    except checks.Unavailable as why:
        return 'not run', [f'- {APPS[app].split(":")[0]}: not run, because {why}.']
    except Exception as error:  # noqa: BLE001: any failure is a result
        print(f'{name}: {app}: {error}', file=sys.stderr)
        return 'failed', [f'- {name}, {APPS[app].split(":")[0]}: it does not start.']
    for check, why in failed.items():
        print(f'{name}: {app}: {check}: {why}', file=sys.stderr)
    return f'{len(passed)} of {len(passed) + len(failed)}', [f'- {name}, {APPS[app].split(":")[0]}: {each}.' for each in failed]


def apps_table(document, servers):
    """One app after the other, with all servers at once: each app is several programs, which wait for each other."""
    with concurrent.futures.ThreadPoolExecutor(len(servers)) as executor:
        results = {app: list(executor.map(functools.partial(app_judged, app), servers)) for app in APPS}
    lines = [f'| task app | {" | ".join(server.split("|")[0] for server in servers)} |', '|---|' + '---|' * len(servers)]
    lines += [f'| {APPS[app]} | {" | ".join(cell for cell, _ in cells)} |' for app, cells in results.items()]
    notes = [note for cells in results.values() for _, notes in cells for note in notes]
    write(document, 'apps', lines + ['', 'What failed:', '', *dict.fromkeys(notes)] if notes else lines)


def write(document, name, lines):
    """Puts the lines in their place in the document."""
    path = pathlib.Path(document)
    begin, end = f'<!-- {name}:begin -->\n', f'<!-- {name}:end -->'
    before, rest = path.read_text().split(begin)
    path.write_text(before + begin + '\n'.join(lines) + '\n' + end + rest.split(end)[1])
    print('\n'.join(lines))


match sys.argv[1]:
    case 'vdirsyncer':
        vdirsyncer(*sys.argv[2:6])
        print('vdirsyncer and todoman: passed')
    case 'table':
        table(sys.argv[2], sys.argv[3:])
    case 'apps':
        apps_table(sys.argv[2], sys.argv[3:])
