"""A task app that writes a very long list: one PUT a task, over one connection.

    many.py ADDRESS EMAIL SESSION TOKEN PID ITEMS LIMIT

The service at ADDRESS is the process PID, and lets a list have LIMIT entries: a few more than the ITEMS that are written. TROLLEY
names the shell client. Checks that

    each task is answered, each 100th twice as if the answer had been lost, and the connection stays open. A service that says that it
    is too busy says how long to wait; then the task is written again
    what each thousand has added is told by sync-collection from the token before it, and nothing else is
    a client that takes fewer results than there are gets an error and no part
    in the end sync-collection, the pages of /v1/changes and `trolley show` have all tasks once
    a task beyond the limit is refused by 507 and DAV:quota-not-exceeded, and nothing is lost by that
    the process never holds more than GROWTH above what it held after the first hundred

Exit: 0 if all hold.
"""

import argparse
import http.client
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.parse
import uuid

import speed

# MiB.
GROWTH = 192
# How often the service may be too busy, on a machine that does other work.
WAITS = 100
SYNC = speed.SYNC
LIMITED = SYNC.replace('<d:prop>', '<d:limit><d:nresults>{}</d:nresults></d:limit><d:prop>')


class TaskApp:
    def __init__(self, address, authorization):
        self.connection = http.client.HTTPConnection(urllib.parse.urlsplit(address).netloc, timeout=600)
        self.connection.connect()
        # A connection that the service closes is a failure, not a reason for another one.
        self.connection.auto_open = 0
        self.headers = {'Authorization': authorization, 'Content-Type': 'text/calendar; charset=utf-8'}
        # How often the service was too busy.
        self.waits = 0

    def ask(self, method, path, body=None, **headers):
        while True:
            self.connection.request(method, path, body, {**self.headers, **headers})
            answer = self.connection.getresponse()
            text = answer.read().decode()
            seconds = answer.headers['Retry-After']
            if answer.status != 503 or not seconds or self.waits == WAITS:
                return answer.status, text
            self.waits += 1
            time.sleep(int(seconds))

    def put(self, collection, number):
        name = f'many-{number}'
        return self.ask('PUT', f'{collection}{name}.ics', '\r\n'.join([
            'BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//many//EN', 'BEGIN:VTODO', f'UID:{name}', 'DTSTAMP:20260101T000000Z',
            f'SUMMARY:thing {number}', 'DESCRIPTION:the blue one', 'END:VTODO', 'END:VCALENDAR', '']).encode())

    def sync(self, collection, token='', limit=None):
        body = SYNC.format(token) if limit is None else LIMITED.format(token, limit)
        return self.ask('REPORT', collection, body, **{'Content-Type': 'application/xml', 'Depth': '0'})


def told(text):
    """The numbers of the tasks in a multistatus, each as often as it is there; and the next token."""
    numbers = [int(each) for each in re.findall(r'/many-(\d+)\.ics<', text)]
    return sorted(numbers), re.search(r'<d:sync-token>([^<]+)<', text)[1]


def memory(process, name):
    """MiB."""
    status = pathlib.Path(f'/proc/{process}/status').read_text()
    return int(re.search(rf'{name}:\s+(\d+) kB', status)[1]) / 1024


def changed(session, collection):
    """The numbers of the tasks that the pages of a list's changes add."""
    numbers, token, pages = [], None, 0
    while True:
        page = json.loads(session.ask(
            'GET', f'/v1/lists/{collection.split("/")[-2]}/changes?limit=1000' + (f'&since={token}' if token else ''))[0])
        pages += 1
        for change in page['changes']:
            if change['type'] == 'entry' and change['entry']['operation'] == 'add':
                numbers.append(int(change['entry']['fields']['text'].removeprefix('thing ')))
        token = page['token']
        if not page['moreComing']:
            return sorted(numbers), pages


def shown(address, email, collection):
    """The numbers of the tasks that `trolley show` has, on a device of its own."""
    with tempfile.TemporaryDirectory() as home:
        def trolley(*arguments):
            return subprocess.run([os.environ['TROLLEY'], *arguments], capture_output=True, text=True, check=True, timeout=900, env={
                **os.environ, 'TROLLEY_HOME': home, 'TROLLEY_PASSWORD': 'correct horse', 'TROLLEY_LANGUAGE': 'en'}).stdout

        trolley('sign-in', address, '--email', email)
        answer = json.loads(trolley('show', '--list', collection.split('/')[-2], '--json'))
        return sorted(int(item['text'].removeprefix('thing ')) for item in answer['items'])


def run(given):
    app = TaskApp(given.address, speed.basic(given.email, given.token))
    session = speed.Client(given.address, f'Bearer {given.session}')
    collection = f'/dav/lists/{uuid.uuid4()}/'
    status, text = app.ask('MKCALENDAR', collection, b'', **{'Content-Type': 'application/xml'})
    assert status == 201, (status, text)
    token = told(app.sync(collection)[1])[1]
    base, began, chunk = None, time.monotonic(), []
    for number in range(1, given.items + 1):
        waits = app.waits
        status, text = app.put(collection, number)
        # After a wait the task may be there, though the service couldn't say so.
        assert status == 201 or status == 204 and app.waits > waits, (number, status, text)
        chunk.append(number)
        if number % 100 == 0:
            assert app.put(collection, number)[0] == 204
            base = base or memory(given.pid, 'VmRSS')
        if number % 1000 == 0 or number == given.items:
            numbers, token = told(app.sync(collection, token)[1])
            assert numbers == chunk, (number, len(numbers))
            print(f'{number:6,} tasks  {len(chunk) / (time.monotonic() - began):7.1f} a second  {memory(given.pid, "VmRSS"):6.0f} MiB',
                  flush=True)
            began, chunk = time.monotonic(), []
    everything = list(range(1, given.items + 1))
    status, text = app.sync(collection, limit=given.items - 1)
    assert status == 507 and 'number-of-matches-within-limits' in text and '<d:response>' not in text, (status, text[:300])

    refused = 0
    for number in range(given.items + 1, given.limit + 20):
        status, text = app.put(collection, number)
        if status == 201:
            assert not refused, f'{number} was taken after a refusal'
            everything.append(number)
            continue
        assert status == 507 and '<d:quota-not-exceeded/>' in text, (number, status, text)
        refused += 1
        if refused == 10:
            break
    assert refused == 10, f'{len(everything)} tasks, and none was refused'
    print(f'{len(everything):,} tasks were taken; then: {re.search("description[^>]*>([^<]+)", text)[1]}')

    assert told(app.sync(collection)[1])[0] == everything, 'sync-collection'
    numbers, pages = changed(session, collection)
    assert numbers == everything, 'the changes'
    assert shown(given.address, given.email, collection) == everything, 'trolley show'
    print(f'sync-collection, {pages} pages of changes and trolley show have each of them once')
    print(f'the service was too busy {app.waits} times; {WAITS} are allowed')
    growth = memory(given.pid, 'VmHWM') - base
    print(f'memory: {base:.0f} MiB after 100 tasks, at most {growth:.0f} MiB more; {GROWTH} are allowed')
    assert growth <= GROWTH, 'memory'


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    for each in ['address', 'email', 'session', 'token']:
        parser.add_argument(each)
    parser.add_argument('pid', type=int)
    parser.add_argument('items', type=int)
    parser.add_argument('limit', type=int)
    try:
        run(parser.parse_args())
    except AssertionError as error:
        sys.exit(f'many.py: {error}')
