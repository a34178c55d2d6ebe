"""Apple's CalDAVTester (github.com/apple/ccs-caldavtester), the tests of its own calendar server, against any CalDAV server.

    caldavtester.py URL USER PASSWORD [DIRECTORY]     prints each test that failed, and why; DIRECTORY keeps what was run
    caldavtester.py … --known FILE                    fails if a test fails that isn't in the file, or one passes that is

It is downloaded at a fixed commit, with the library that it needs, and runs on Python 2.7. TROLLEY_CALDAVTESTER names a copy that
is there already, with `ccs-pycalendar` beside it. Its tests are about events, and lists have tasks only: `as_tasks` makes tasks of
the events, in what is sent and in what is expected. `LEFT_OUT` says which tests aren't run, and why. Both are the same for every
server.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse
import xml.etree.ElementTree as ElementTree

import caldav
import caldav.lib.error

COMMITS = {'ccs-caldavtester': 'bed21e5924275552c1561febc8203a9f194cf737',
           'ccs-pycalendar': 'a12dd4e1ce8822b022d4abf2cfe6cc93902ff03f'}
TOOLS = pathlib.Path(__file__).parents[2] / '.build-tools'

SCRIPTS = ['bad-ical', 'brief', 'conditional', 'ctag', 'current-user-principal', 'delete', 'encodedURIs', 'errors', 'floating', 'get',
           'ical-client', 'mkcalendar', 'nonascii', 'options', 'prefer', 'propfind', 'proppatch', 'put', 'reports', 'sync-report',
           'timezones', 'vtodos']
FEATURES = ['caldav', 'brief', 'ctag', 'current-user-principal', 'prefer', 'prefer-minimal', 'split-calendars', 'sync-report']
# What a server writes into a task itself, and what says no more than the default.
WRITTEN = ['CALSCALE', 'PRODID', 'DTSTAMP', 'CREATED', 'LAST-MODIFIED', 'X-WR-CALNAME', 'X-APPLE-SORT-ORDER', 'X-TROLLEY-VERSION',
           'CLASS=PUBLIC', 'PRIORITY=0', 'SEQUENCE=0', 'STATUS=NEEDS-ACTION']

SERIES = 'a list has no repeating tasks'
COMPONENTS = 'a list has tasks only'
SCHEDULING = 'invitations, free time and rights are a calendar\'s'
APPLE = 'an address, a limit or a form of Apple\'s server'
MOVES = 'needs the tests of COPY and MOVE'

# What isn't run: script, suite, its tests (nothing stands for all), and why.
LEFT_OUT = [
    ('ctag', 'Scheduling', '', SCHEDULING),
    ('encodedURIs', 'calendar resource double-encoded', '2', MOVES),
    ('errors', 'PUT', '5 11 17 22', SERIES),
    ('errors', 'PUT', '16', SCHEDULING),
    ('errors', 'REPORT/filter', '12 13', SCHEDULING),
    ('errors', 'Invalid urn: calendar user address', '', SCHEDULING),
    ('floating', 'REPORT floating behaviour - collection', '', APPLE),
    ('floating', 'REPORT floating behaviour - expand', '', SERIES),
    ('floating', 'REPORT free-busy floating behaviour', '', SCHEDULING),
    ('floating', 'Floating DTSTART with RRULE:UNTIL', '', SERIES),
    ('mkcalendar', 'MKCALENDAR read-free-busy privilege', '', SCHEDULING),
    ('mkcalendar', 'MKCALENDAR supported-component-set', '', COMPONENTS),
    ('mkcalendar', 'Single component calendars', '', COMPONENTS),
    ('nonascii', 'POSTs', '', SCHEDULING),
    ('propfind', 'Depth:infinity disabled', '3 4', APPLE),
    ('put', 'Problem VTODOs - EXDATE & various combinations of date-time/date values', '1 11', SERIES),
    ('reports', 'basic query reports', '1b 2a 2b 13 14a 17a 17b 19a 19b 21', COMPONENTS),
    ('reports', 'basic query reports', '5', SERIES),
    ('reports', 'time-range query reports', '2 3 19a 19b 21a 21b 23a 23b', COMPONENTS),
    ('reports', 'time-range query reports', '5 6 7 8 11 13 14', SERIES),
    ('reports', 'alarm time-range query reports', '3 4', SERIES),
    ('reports', 'free-busy reports', '', SCHEDULING),
    ('reports', 'limit/expand recurrence in reports', '', SERIES),
    ('sync-report', 'support-report-set/sync-token property', '3 4', APPLE),
    ('sync-report', 'simple reports - empty inbox', '', SCHEDULING),
    ('sync-report', 'limited reports', '', APPLE),
    ('timezones', 'Timezone cache', '2 4', SCHEDULING),
    ('timezones', 'Timezone cache - aliases', '2 4', SCHEDULING),
]


class Unavailable(Exception):
    """Why the tests can't be run here."""


Result = collections.namedtuple('Result', 'passed failed')


def python2():
    versions = pathlib.Path.home() / '.pyenv/versions'
    for each in ['python2.7', *sorted(map(str, versions.glob('2.7.*/bin/python2.7')))]:
        # A shim of pyenv may stand there without a Python behind it.
        if shutil.which(each) and subprocess.run([each, '-c', ''], capture_output=True).returncode == 0:
            return each
    raise Unavailable('there is no Python 2.7')


def checkout():
    """The directory with both repositories."""
    given = os.environ.get('TROLLEY_CALDAVTESTER')
    if given:
        return pathlib.Path(given).resolve().parent
    directory = TOOLS / f'caldavtester-{COMMITS["ccs-caldavtester"][:12]}'
    for name, commit in COMMITS.items():
        place = directory / name
        if (place / '.fetched').exists():
            continue
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        for command in [['init', '--quiet'], ['fetch', '--quiet', '--depth', '1', f'https://github.com/apple/{name}', commit],
                        ['checkout', '--quiet', 'FETCH_HEAD']]:
            done = subprocess.run(['git', '-C', place, *command], capture_output=True, text=True, timeout=600,
                                  env={**os.environ, 'GIT_TERMINAL_PROMPT': '0'})
            if done.returncode:
                raise Unavailable(f'github.com/apple/{name} can\'t be downloaded')
        (place / '.fetched').touch()
    return directory


# MARK: Tasks for events


def as_tasks(text):
    """The same with tasks for events: `DUE` for `DTEND`, one task for a series, without what only events have."""
    if 'VEVENT' not in text and 'BEGIN:VTODO' not in text:
        return text
    text = text.replace('VEVENT', 'VTODO').replace('DTEND', 'DUE')
    end = '\r\n' if '\r\n' in text else '\n'
    # A line with its continuations.
    line = r'^%s[;:][^\n]*\n(?:[ \t][^\n]*\n)*'
    text = re.sub(r'^BEGIN:VTODO\r?\n(?:(?!^END:VTODO)[^\n]*\n)*?RECURRENCE-ID[;:](?:(?!^END:VTODO)[^\n]*\n)*?END:VTODO\r?\n', '',
                  text, flags=re.M)
    for name in ['RRULE', 'RDATE', 'EXRULE', 'EXDATE', 'TRANSP']:
        # Rules within time zones stay.
        text = re.sub(r'^BEGIN:VTODO\r?\n.*?^END:VTODO', lambda each: re.sub(line % name, '', each[0], flags=re.M), text,
                      flags=re.M | re.S)
    return re.sub(r'^STATUS:(CONFIRMED|TENTATIVE)\r?$', 'STATUS:NEEDS-ACTION' + end.rstrip('\n'), text, flags=re.M)


def prepare(source, target):
    """Copies what is needed, with tasks for events."""
    for name in ['src', 'verifiers', 'generators', 'testcaldav.py']:
        copy = shutil.copytree if (source / name).is_dir() else shutil.copy
        copy(source / name, target / name)
    for kind in ['Resource/CalDAV', 'Resource/Common', 'scripts/tests/CalDAV']:
        for path in (source / kind).rglob('*'):
            place = target / path.relative_to(source)
            if path.is_dir():
                continue
            place.parent.mkdir(parents=True, exist_ok=True)
            # Latin 1 keeps all bytes.
            place.write_bytes(as_tasks(path.read_bytes().decode('latin-1')).encode('latin-1'))
    for script in SCRIPTS:
        leave_out(target / f'scripts/tests/CalDAV/{script}.xml', script)


def is_left_out(script, suite, test):
    # Other people, and nobody.
    if any(request.get('user') not in (None, '$userid1:', 'bogus') or request.get('auth') == 'no' for request in test.iter('request')):
        return True
    return any((script, suite) == row[:2] and (not row[2] or test.get('name') in row[2].split()) for row in LEFT_OUT)


def leave_out(path, script):
    tree = ElementTree.parse(path)
    for suite in tree.getroot().iter('test-suite'):
        for test in suite.iter('test'):
            if is_left_out(script, suite.get('name'), test):
                test.set('ignore', 'yes')
    # What the tests begin with: only tasks can be written, and only these are expected.
    absent = set()
    for start in tree.getroot().iter('start'):
        for request in start.findall('request'):
            data = request.findtext('data/filepath')
            if data and request.findtext('method') == 'PUT' and b'BEGIN:VTODO' not in (path.parents[3] / data).read_bytes():
                start.remove(request)
                absent.add(request.findtext('ruri').split('/')[-1])
    for argument in tree.getroot().iter('arg'):
        for value in argument.findall('value'):
            if value.text in absent:
                argument.remove(value)
    tree.write(path)


# MARK: The server


def server_info(url, principal, calendar, user, password, features):
    parts = urllib.parse.urlsplit(url)
    # The tester encodes addresses itself.
    home, own = (urllib.parse.unquote(urllib.parse.urlsplit(str(each)).path)
                 for each in [principal.calendar_home_set.url, principal.url])
    home = home.rstrip('/')
    root = parts.path
    response = '/{DAV:}multistatus/{DAV:}response'
    values = {
        'multistatus-response-prefix': response, 'multistatus-href-prefix': response + '/{DAV:}href',
        'verify-response-prefix': '{DAV:}response/{DAV:}propstat/{DAV:}prop',
        'verify-property-prefix': response + '/{DAV:}propstat/{DAV:}prop',
        'verify-bad-response': response + '/{DAV:}status', 'verify-error-response': response + '/{DAV:}error',
        'CALDAV': 'urn:ietf:params:xml:ns:caldav', 'CS': 'http://calendarserver.org/ns/', 'root': root,
        'principalcollection': root, 'principals_users': root, 'calendars': home + '/', 'calendar': calendar,
        'tasks': calendar + '-tasks', 'calendar_sync_extra_items': '[]', 'calendar_sync_extra_count': '0', 'userid1': user,
        'userid01': user, 'pswd1': password, 'pswd01': password, 'principal1': own, 'principaluri1': own,
        'principal1noslash': own.rstrip('/'), 'calendarhome1': home, 'calendarhomealt1': home, 'calendarpath1': f'{home}/{calendar}',
        'calendarpathalt1': f'{home}/{calendar}', 'taskspath1': f'{home}/{calendar}-tasks', 'email1': user, 'cuaddr1': 'mailto:' + user,
        'cuaddrurn1': 'mailto:' + user, 'cuaddralt1': 'mailto:' + user,
    }
    info = ElementTree.Element('serverinfo')
    for name, value in [('host', parts.hostname), ('nonsslport', parts.port), ('sslport', parts.port), ('authtype', 'basic'),
                        ('waitcount', 4), ('waitdelay', 0.25), ('waitsuccess', 2)]:
        ElementTree.SubElement(info, name).text = str(value)
    listed = ElementTree.SubElement(info, 'features')
    for each in features:
        ElementTree.SubElement(listed, 'feature').text = each
    substitutions = ElementTree.SubElement(info, 'substitutions')
    for key, value in values.items():
        one = ElementTree.SubElement(substitutions, 'substitution')
        ElementTree.SubElement(one, 'key').text = f'${key}:'
        ElementTree.SubElement(one, 'value').text = value
    for each in WRITTEN:
        ElementTree.SubElement(info, 'calendardatafilter').text = each
    return ElementTree.tostring(info, encoding='unicode')


def run(url, user, password, directory=None, scripts=SCRIPTS):
    """The number of tests that passed, and why each other one failed, by its name."""
    python, source = python2(), checkout()
    with tempfile.TemporaryDirectory() as temporary:
        place = pathlib.Path(directory or temporary) / 'tester'
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        prepare(source / 'ccs-caldavtester', place)
        passed, failed = [], {}
        for script in scripts:
            for test, why in script_results(script, place, python, source, url, user, password).items():
                if why is None:
                    passed.append(test)
                else:
                    failed[test] = why
        return Result(passed, failed)


def script_results(script, place, python, source, url, user, password):
    principal = caldav.DAVClient(url=url, username=user, password=password).principal()
    calendar = f'calendar-{script}'
    for each in [calendar, f'{calendar}-tasks']:
        principal.make_calendar(name=each, cal_id=each, supported_calendar_component_set=['VTODO'])
    (place / 'serverinfo.xml').write_text(server_info(url, principal, calendar, user, password, FEATURES))
    done = subprocess.run(
        [python, 'testcaldav.py', '-s', 'serverinfo.xml', '-x', 'scripts/tests', '--observer', 'jsondump', f'CalDAV/{script}.xml'],
        cwd=place, capture_output=True, timeout=900,
        env={**os.environ, 'PYTHONPATH': str(source / 'ccs-pycalendar/src'), 'PYTHONDONTWRITEBYTECODE': '1'})
    for each in principal.calendars():
        try:
            each.delete()
        except caldav.lib.error.DAVError:
            # Its own; the next script has lists of its own.
            pass
    output = done.stdout.decode(errors='replace').strip().splitlines()
    (place / f'{script}.log').write_bytes(done.stdout + done.stderr)
    if not output or not output[-1].startswith('['):
        return {f'{script}: all': done.stderr.decode(errors='replace')[-300:]}
    results = {}
    for file in json.loads(output[-1]):
        if file['result'] in (1, 2):
            results[f'{script}: start'] = str(file['details'])
        for suite in file['tests']:
            for test in suite['tests']:
                # 0: passed, 1 and 2: failed, 3: left out.
                if test['result'] != 3:
                    name = f'{script}: {suite["name"]}: {test["name"]}'
                    results[name] = None if test['result'] == 0 else str(test['details'])
    return results


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('url')
    parser.add_argument('user')
    parser.add_argument('password')
    parser.add_argument('directory', nargs='?')
    parser.add_argument('--known', type=pathlib.Path, help='the tests that fail, a name a line: others must pass, and these must fail')
    parser.add_argument('--scripts', default=','.join(SCRIPTS), help='default: all')
    options = parser.parse_args()
    scripts = options.scripts.split(',')
    try:
        result = run(options.url, options.user, options.password, options.directory, scripts)
    except Unavailable as why:
        print(f'Apple\'s CalDAVTester: not run, because {why}')
        return 0
    known = options.known.read_text().splitlines() if options.known else []
    known = {name for name in known if name.split(': ')[0] in scripts}
    for name, why in result.failed.items():
        if name not in known:
            print(f'{name}\n    ' + '\n    '.join(why.strip().splitlines()[:12]))
    mended = known - set(result.failed)
    for name in sorted(mended):
        print(f'{name}: known to fail, and passes')
    print(f'Apple\'s CalDAVTester: {len(result.passed)} of {len(result.passed) + len(result.failed)}')
    return 1 if options.known and (mended or set(result.failed) - known) else 0


if __name__ == '__main__':
    sys.exit(main())
