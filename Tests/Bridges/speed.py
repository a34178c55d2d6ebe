"""How fast the bridge is, beside the service's own interface and beside radicale.

    speed.py ADDRESS EMAIL SESSION TOKEN RADICALE_URL RADICALE_DIRECTORY [--items 10000] [--turns 200]

Two goals, each as a ratio of medians of pairs that are asked in turn, because a machine isn't as fast at all times:

    a sync-collection of an unchanged list of 1,000 items takes at most 1.5 times as long as POST /v1/changes
    the first REPORT of all data of 10,000 items is at least 5 times as fast as radicale's

Exit: 0 if both hold.
"""

import argparse
import base64
import http.client
import json
import pathlib
import re
import statistics
import sys
import time
import urllib.parse
import uuid

SYNC = ('<d:sync-collection xmlns:d="DAV:"><d:sync-token>{}</d:sync-token><d:sync-level>1</d:sync-level><d:prop><d:getetag/></d:prop>'
        '</d:sync-collection>')
ALL = ('<c:calendar-query xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><d:prop><d:getetag/><c:calendar-data/></d:prop>'
       '<c:filter><c:comp-filter name="VCALENDAR"><c:comp-filter name="VTODO"/></c:comp-filter></c:filter></c:calendar-query>')


class Client:
    """A connection that stays open."""

    def __init__(self, address, authorization):
        self.connection = http.client.HTTPConnection(urllib.parse.urlsplit(address).netloc, timeout=600)
        self.authorization = authorization

    def ask(self, method, path, body=None, kind='application/xml', depth='0'):
        """The answer's text and the seconds until it was there."""
        began = time.perf_counter()
        self.connection.request(method, path, body, {'Authorization': self.authorization, 'Content-Type': kind, 'Depth': depth})
        answer = self.connection.getresponse()
        text = answer.read()
        seconds = time.perf_counter() - began
        assert answer.status < 300, f'{method} {path}: {answer.status} {text[:300]}'
        return text.decode(), seconds

    def json(self, method, path, body):
        text, seconds = self.ask(method, path, json.dumps(body), 'application/json')
        return (json.loads(text) if text else None), seconds


def basic(user, password):
    return 'Basic ' + base64.b64encode(f'{user}:{password}'.encode()).decode()


def make_list(session, count):
    """A list with so many items; its id and a change token of its end."""
    name = str(uuid.uuid4())
    session.json('POST', '/v1/lists', {'id': name})
    for start in range(0, count, 400):
        entries = [{'id': str(uuid.uuid4()), 'operation': 'add', 'item': str(uuid.uuid4()), 'after': None,
                    'fields': {'text': f'whole milk {number}', 'quantity': '2 l', 'note': 'the blue one', 'aisle': 'Dairy'},
                    'cause': 'edit', 'deviceSequence': number, 'age': 0} for number in range(start + 1, min(start + 400, count) + 1)]
        answer, _ = session.json('POST', f'/v1/lists/{name}/entries', {'entries': entries})
    token = None
    while True:
        query = 'limit=5000' + (f'&since={token}' if token else '')
        page = json.loads(session.ask('GET', f'/v1/lists/{name}/changes?{query}')[0])
        token = page['token']
        if not page['moreComing']:
            return name, token


def fill_radicale(directory, user, count):
    """The same in radicale's files."""
    place = pathlib.Path(directory) / 'collection-root' / user / 'long'
    place.mkdir(parents=True)
    (place / '.Radicale.props').write_text(json.dumps({'tag': 'VCALENDAR', 'C:supported-calendar-component-set': 'VTODO'}))
    for number in range(1, count + 1):
        (place / f'{number}.ics').write_text('\r\n'.join([
            'BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//speed//EN', 'BEGIN:VTODO', f'UID:{number}', 'DTSTAMP:20260101T000000Z',
            'CREATED:20260101T000000Z', f'SUMMARY:2 l whole milk {number}', 'DESCRIPTION:the blue one', 'CATEGORIES:Dairy',
            'STATUS:NEEDS-ACTION', 'END:VTODO', 'END:VCALENDAR', '']))


def median(name, seconds):
    print(f'{name:58} {statistics.median(seconds) * 1000:10.2f} ms (median of {len(seconds)})', flush=True)
    return statistics.median(seconds)


def unchanged(session, dav, turns):
    """The two ways to hear that nothing has changed."""
    name, token = make_list(session, 1000)
    path = f'/dav/lists/{name}/'
    text, _ = dav.ask('REPORT', path, SYNC.format(''))
    place = re.search(r'<d:sync-token>([^<]+)<', text)[1]
    ours, own = [], []
    for turn in range(turns + 10):
        text, seconds = dav.ask('REPORT', path, SYNC.format(place))
        assert '<d:response>' not in text, text[:300]
        answer, other = session.json('POST', '/v1/changes', {'tokens': {name: token}})
        assert not answer['lists'], str(answer)[:300]
        # The first ones prepare statements.
        if turn >= 10:
            ours.append(seconds)
            own.append(other)
    ratio = median('sync-collection, 1,000 items, unchanged', ours) / median('POST /v1/changes, the same list', own)
    print(f'{"ratio; at most 1.5":58} {ratio:10.2f}')
    return ratio <= 1.5


def all_data(session, dav, radicale, directory, user, count):
    name, _ = make_list(session, count)
    fill_radicale(directory, user, count)
    ours, theirs = [], []
    for _ in range(3):
        for client, path, found in [(dav, f'/dav/lists/{name}/', ours),
                                    (radicale, f'/{urllib.parse.quote(user)}/long/', theirs)]:
            # The other's answer may have taken longer than a connection stays open.
            client.connection.close()
            text, seconds = client.ask('REPORT', path, ALL, depth='1')
            assert text.count('BEGIN:VTODO') == count, (path, text.count('BEGIN:VTODO'), text[:300])
            found.append(seconds)
            who = 'trolleyd' if found is ours else 'radicale'
            print(f'{f"REPORT of all data, {count:,} items, {who}":58} {seconds * 1000:10.2f} ms', flush=True)
    print(f'{"ratio of the first ones; at least 5":58} {theirs[0] / ours[0]:10.2f}')
    print(f'{"ratio of the later ones":58} {min(theirs[1:]) / min(ours[1:]):10.2f}')
    return theirs[0] / ours[0] >= 5


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    for each in ['address', 'email', 'session', 'token', 'radicale', 'directory']:
        parser.add_argument(each)
    parser.add_argument('--items', type=int, default=10_000)
    parser.add_argument('--turns', type=int, default=200)
    given = parser.parse_args()
    own = Client(given.address, f'Bearer {given.session}')
    bridge = Client(given.address, basic(given.email, given.token))
    other = Client(given.radicale, basic(given.email, 'correct horse'))
    holds = [unchanged(own, bridge, given.turns), all_data(own, bridge, other, given.directory, given.email, given.items)]
    sys.exit(0 if all(holds) else 1)
