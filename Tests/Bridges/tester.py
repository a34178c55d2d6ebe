"""caldav-server-tester for lists, which have tasks only: its events go out as tasks, and come back as events.

    tester.py --caldav-url URL --caldav-username USER --caldav-password PASSWORD …     its own arguments

It says what features a server has, and nearly all of its checks begin with an event. So what it sends and gets is translated on the way: an
event becomes a task with the property `X-EVENT`, `DTEND` becomes `DUE`, and what only an event has gets the prefix `X-EVENT-`. A
query for events gets those tasks as events, one for tasks the others. A series becomes one task. All servers get the same.
"""

import re
import sys
import xml.etree.ElementTree as ElementTree

import niquests
from caldav_server_tester.caldav_server_tester import check_server_compatibility

CALDAV = 'urn:ietf:params:xml:ns:caldav'
DATA = f'.//{{{CALDAV}}}calendar-data'
EVENT = re.compile(r'BEGIN:VEVENT\b.*?END:VEVENT', re.DOTALL)
TASK = re.compile(r'BEGIN:VTODO\b(?:(?!END:VTODO).)*?^X-EVENT:1.*?END:VTODO', re.DOTALL | re.MULTILINE)
ASKED = re.compile(r'comp-filter\s+name="(VEVENT|VTODO|VJOURNAL)"')
EVENTS_ONLY = r'^(STATUS|TRANSP)(?=[:;])'
EXCEPTION = re.compile(r'BEGIN:(VEVENT|VTODO)\r?\n(?:(?!END:\1).)*?^RECURRENCE-ID.*?END:\1\r?\n', re.DOTALL | re.MULTILINE)
SERIES = re.compile(r'(?<=\n)(RRULE|RDATE|EXDATE)[:;].*\r?\n(?:[ \t].*\r?\n)*')


def to_task(text):
    def task(event):
        body = event[0].replace('VEVENT', 'VTODO', 1)[:-len('VEVENT')] + 'VTODO'
        body = re.sub(r'^DTEND(?=[:;])', 'DUE', re.sub(EVENTS_ONLY, r'X-EVENT-\1', body, flags=re.MULTILINE), flags=re.MULTILINE)
        return re.sub(r'^END:VTODO$', 'X-EVENT:1\r\nEND:VTODO', body, flags=re.MULTILINE)
    return EVENT.sub(task, SERIES.sub('', EXCEPTION.sub('', text)))


def to_event(text):
    def event(task):
        body = re.sub(r'^X-EVENT:1\r?\n', '', task[0].replace('VTODO', 'VEVENT'), flags=re.MULTILINE)
        body = re.sub(r'^(STATUS|PERCENT-COMPLETE|COMPLETED)[:;].*\r?\n', '', body, flags=re.MULTILINE)
        return re.sub(r'^DUE(?=[:;])', 'DTEND', re.sub(r'^X-EVENT-', '', body, flags=re.MULTILINE), flags=re.MULTILINE)
    return TASK.sub(event, text)


def outward(body):
    """What is sent, and the component that it asks for, if it is a query."""
    is_text = isinstance(body, str)
    text = body if is_text else (body or b'').decode('utf-8', 'surrogateescape')
    asked = ASKED.search(text)
    if 'BEGIN:VCALENDAR' in text:
        text = to_task(text)
    else:
        text = text.replace('name="VEVENT"', 'name="VTODO"').replace('name="DTEND"', 'name="DUE"')
    return (text if is_text or body is None else text.encode('utf-8', 'surrogateescape')), asked and asked[1]


def inward(content, asked):
    text = content.decode('utf-8', 'surrogateescape')
    if 'BEGIN:VCALENDAR' not in text and 'supported-calendar-component-set' not in text:
        return content
    if not text.lstrip().startswith('<'):
        return to_event(text).encode('utf-8', 'surrogateescape')
    root = ElementTree.fromstring(content)
    for response in root.findall('{DAV:}response'):
        for data in response.iterfind(DATA):
            data.text = to_event(data.text or '')
            if asked and f'BEGIN:{asked}' not in data.text:
                root.remove(response)
    for kinds in root.iter(f'{{{CALDAV}}}supported-calendar-component-set'):
        if any(kind.get('name') == 'VTODO' for kind in kinds) and not any(kind.get('name') == 'VEVENT' for kind in kinds):
            ElementTree.SubElement(kinds, f'{{{CALDAV}}}comp', {'name': 'VEVENT'})
    return ElementTree.tostring(root)


def translated(original):
    def request(session, method, url, *positional, data=None, **named):
        body, asked = outward(data) if data else (data, None)
        response = original(session, method, url, *positional, data=body, **named)
        if response.content:
            response._content = inward(response.content, asked)
        return response
    return request


if __name__ == '__main__':
    niquests.Session.request = translated(niquests.Session.request)
    sys.exit(check_server_compatibility())
