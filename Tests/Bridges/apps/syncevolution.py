"""SyncEvolution by its command line: it keeps a directory of tasks, a file each, equal to a list on the server (`caldavtodo`)."""

import pathlib
import re
import shutil
import subprocess
import uuid

from program import Refused, Unavailable


class SyncEvolution:
    """The commands of evolution.py. Each change is synchronized at once, if the service is there."""

    def __init__(self, home, url, user, password):
        if not shutil.which('syncevolution'):
            raise Unavailable('the package syncevolution is missing')
        self.home, self.url, self.user, self.password = pathlib.Path(home), url, user, password
        self.tasks_directory = self.home / 'tasks'
        self.tasks_directory.mkdir(exist_ok=True)
        self.environment = {'HOME': str(home), 'PATH': '/usr/bin:/bin', 'LANG': 'C.UTF-8', 'TZ': 'UTC'}

    def run(self, *arguments):
        done = subprocess.run(['syncevolution', '--daemon=no', *arguments], env=self.environment, cwd=self.home,
                              capture_output=True, text=True, timeout=120)
        if done.returncode:
            errors = [line for line in (done.stdout + done.stderr).splitlines() if 'ERROR' in line]
            raise Refused(f'syncevolution: {" | ".join(errors[-3:]) or done.stdout[-300:]}')
        return done.stdout

    def account(self):
        return ['keyring=no', f'syncURL={self.url}', f'username={self.user}', f'password={self.password}']

    def databases(self):
        printed = self.run('--print-databases', 'backend=caldavtodo', *self.account())
        return dict(re.findall(r'^   (.+) \((http\S+)\)', printed, re.MULTILINE))

    def sync(self, mode='two-way'):
        self.run('--sync', mode, 'trolley', 'todo')

    def do(self, command, *arguments):
        return getattr(self, 'do_' + command)(*arguments)

    def do_find(self):
        return sorted(self.databases())

    def do_open(self, name):
        if (self.home / 'opened').exists():
            return
        database = self.databases()[name]
        self.run('--configure', *self.account(), 'target-config@trolley')
        self.run('--configure', 'backend=caldavtodo', f'database={database}', 'target-config@trolley', 'todo')
        self.run('--configure', '--template', 'none', 'keyring=no', 'peerIsClient=1', 'syncURL=local://@trolley', 'dumpData=0',
                 'printChanges=0', 'trolley')
        self.run('--configure', 'sync=two-way', 'backend=file', 'databaseFormat=text/calendar',
                 f'database=file://{self.tasks_directory}', 'trolley', 'todo')
        self.sync('slow')
        (self.home / 'opened').touch()

    def do_ready(self):
        return True

    def do_refresh(self):
        self.sync()

    def files(self):
        # Lines are folded by bytes, also within a character.
        return {path: re.sub(b'\r?\n[ \t]', b'', path.read_bytes()).decode() for path in self.tasks_directory.iterdir() if path.is_file()}

    def do_tasks(self):
        return [[re.search(r'^SUMMARY[^:]*:(.*?)\r?$', text, re.MULTILINE)[1], 'STATUS:COMPLETED' in text]
                for text in self.files().values()]

    def file(self, summary):
        for path, text in self.files().items():
            if re.search(f'^SUMMARY[^:]*:{re.escape(summary)}\r?$', text, re.MULTILINE):
                return path, text
        raise RuntimeError(f'{summary} is not in the directory: {self.files()}')

    def write(self, path, text):
        path.write_text(text, newline='')
        self.sync()

    def do_add(self, summary):
        uid = uuid.uuid4()
        self.write(self.tasks_directory / str(uid), '\r\n'.join([
            'BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//judge//EN', 'BEGIN:VTODO', f'UID:{uid}', 'DTSTAMP:20260101T000000Z',
            f'SUMMARY:{summary}', 'STATUS:NEEDS-ACTION', 'END:VTODO', 'END:VCALENDAR', '']))

    def do_done(self, summary):
        path, text = self.file(summary)
        self.write(path, re.sub('STATUS:[A-Z-]+', 'STATUS:COMPLETED\r\nPERCENT-COMPLETE:100\r\nCOMPLETED:20260101T000000Z', text))

    def do_rename(self, summary, to):
        path, text = self.file(summary)
        self.write(path, text.replace(f'SUMMARY:{summary}', f'SUMMARY:{to}'))

    def do_describe(self, summary, note, due):
        path, text = self.file(summary)
        self.write(path, text.replace('END:VTODO', f'DESCRIPTION:{note}\r\nDUE;VALUE=DATE:{due}\r\nEND:VTODO'))

    def do_delete(self, summary):
        self.file(summary)[0].unlink()
        self.sync()

    def end(self):
        """Nothing of it runs between its commands."""
