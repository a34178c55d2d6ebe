"""A phone or a desktop with GNOME: evolution-data-server, which keeps the tasks of its task apps, by its own library.

    dbus-run-session -- /usr/bin/python3 evolution.py URL USER PASSWORD

HOME is a directory of its own, which keeps the accounts and the offline copies between runs. Each line of standard input is a command
with its arguments, in JSON: ["add", "Milk"]. Each is answered by a line: {"answer": …} or {"error": …}. It ends with its input.
"""

import json
import os
import pathlib
import sys
import urllib.parse

# Both are said before the library starts: no desktop is there that says whether the network is up.
os.environ['GSETTINGS_BACKEND'] = 'keyfile'
settings = pathlib.Path(os.environ['HOME'], '.config/glib-2.0/settings/keyfile')
settings.parent.mkdir(parents=True, exist_ok=True)
settings.write_text("[org/gnome/evolution-data-server]\nnetwork-monitor-gio-name='always-online'\n")

import gi  # noqa: E402

gi.require_version('ECal', '2.0')
gi.require_version('EDataServer', '1.2')
from gi.repository import ECal, EDataServer, GLib, GObject, ICalGLib  # noqa: E402

url, user, password = sys.argv[1:]
address = urllib.parse.urlparse(url)
NO_WAIT = 0xFFFFFFFF
WITHOUT_OPTIONS = ECal.OperationFlags(0)
for each in ('Authentication', 'Offline', 'Refresh', 'Security', 'TaskList', 'Webdav'):
    # A source knows only the extensions whose types are there.
    GObject.type_ensure(getattr(EDataServer, f'Source{each}').__gtype__)

registry = EDataServer.SourceRegistry.new_sync(None)
client = None


def credentials():
    named = EDataServer.NamedParameters.new()
    named.set('username', user)
    named.set('password', password)
    return named


def new_source(name, path):
    source = EDataServer.Source.new(None, None)
    source.set_display_name(name)
    source.set_parent('caldav-stub')
    source.get_extension('Task List').set_backend_name('caldav')
    authentication = source.get_extension('Authentication')
    authentication.set_host(address.hostname)
    authentication.set_port(address.port)
    authentication.set_user(user)
    authentication.set_method('plain/password')
    source.get_extension('Security').set_secure(False)
    source.get_extension('WebDAV Backend').set_resource_path(path)
    source.get_extension('Offline').set_stay_synchronized(True)
    # The judge says when.
    source.get_extension('Refresh').set_enabled(False)
    return source


def discovered():
    """The task lists at the address: names and paths."""
    _, _, _, found, _ = EDataServer.webdav_discover_sources_sync(
        new_source('', address.path), None, EDataServer.WebDAVDiscoverSupports.TASKS, credentials(), None)
    return {each.display_name: urllib.parse.urlparse(each.href).path for each in found}


def known(name):
    return next((each for each in registry.list_sources('Task List')
                 if each.get_display_name() == name and each.get_extension('Task List').get_backend_name() == 'caldav'), None)


def find():
    return sorted(discovered())


def open_list(name):
    """Opens a list, which is found in the account if the phone doesn't have it yet."""
    global client
    source = known(name)
    if source is None:
        source = new_source(name, discovered()[name])
        registry.commit_source_sync(source, None)
        source = registry.ref_source(source.get_uid())
    source.connect('credentials-required', lambda source, *_: source.invoke_authenticate(credentials(), None, None))
    # With no wait for a connection: without one there is the copy.
    client = ECal.Client.connect_sync(source, ECal.ClientSourceType.TASKS, NO_WAIT, None)
    # It asks only those programs that are there when it asks.
    source.invoke_authenticate_sync(credentials(), None)


def components():
    return client.get_object_list_sync('#t', None)[1]


def ready():
    """Whether the list is connected: before, it shows its copy and takes no changes if it never was."""
    return not client.is_readonly()


def tasks():
    return [[each.get_summary(), '\nSTATUS:COMPLETED' in each.as_ical_string()] for each in components()]


def texts():
    """The tasks as they are kept."""
    return [each.as_ical_string() for each in components()]


def task(summary):
    return next(each for each in components() if each.get_summary() == summary)


def refresh():
    client.refresh_sync(None)


def write(each, options=WITHOUT_OPTIONS):
    client.modify_object_sync(each, ECal.ObjModType.ALL, options, None)


def add(summary):
    each = ICalGLib.Component.new_vtodo()
    each.set_summary(summary)
    client.create_object_sync(each, WITHOUT_OPTIONS, None)


def done(summary):
    each = task(summary)
    each.set_status(ICalGLib.PropertyStatus.COMPLETED)
    each.add_property(ICalGLib.Property.new_percentcomplete(100))
    each.add_property(ICalGLib.Property.new_completed(ICalGLib.Time.new_current_with_zone(ICalGLib.Timezone.get_utc_timezone())))
    write(each)


def rename(summary, to, is_careful=False):
    """Careful: it says which copy it has edited (`If-Match`). GNOME's apps don't say it, and write over what is there."""
    each = task(summary)
    each.set_summary(to)
    write(each, ECal.OperationFlags.CONFLICT_FAIL if is_careful else WITHOUT_OPTIONS)


def describe(summary, note, due):
    """The due date is eight digits."""
    each = task(summary)
    each.set_description(note)
    each.set_due(ICalGLib.Time.new_from_string(due))
    write(each)


def delete(summary):
    client.remove_object_sync(task(summary).get_uid(), None, ECal.ObjModType.ALL, WITHOUT_OPTIONS, None)


COMMANDS = {'find': find, 'open': open_list, 'ready': ready, 'tasks': tasks, 'texts': texts, 'refresh': refresh, 'add': add,
            'done': done, 'rename': rename, 'describe': describe, 'delete': delete}
loop = GLib.MainLoop()


def command(*_):
    line = sys.stdin.readline()
    if not line:
        loop.quit()
        return False
    name, *arguments = json.loads(line)
    try:
        answer = {'answer': COMMANDS[name](*arguments)}
    except Exception as error:  # noqa: BLE001: the judge decides
        answer = {'error': f'{type(error).__name__}: {error}'}
    print(json.dumps(answer), flush=True)
    return True


GLib.io_add_watch(sys.stdin, GLib.PRIORITY_DEFAULT, GLib.IOCondition.IN | GLib.IOCondition.HUP, command)
loop.run()
