"""Prints what the Autobahn suite reports (argv[1]), or writes it as a page (argv[2]).

Exits with 1 when a case neither passes nor meets one of the limits below.
"""

import collections
import datetime
import json
import pathlib
import sys

SECTIONS = {
    '1': 'Framing: text and binary messages of all sizes', '2': 'Pings and pongs', '3': 'Reserved bits',
    '4': 'Reserved opcodes', '5': 'Fragments', '6': 'UTF-8', '7': 'Closing', '10': 'Fragments of a long message',
}
# Cases that the service refuses on purpose, and the close code: binary messages, and messages of more than 8 KiB.
LIMITS = {f'1.2.{number}': 1003 for number in range(1, 6)} | {
    case: 1009 for case in ('1.1.6', '1.1.7', '1.1.8', '1.2.6', '1.2.7', '1.2.8', '10.1.1')}
# The suite only reports what happens in INFORMATIONAL cases.
GOOD = {'OK', 'INFORMATIONAL'}


def outcome(case, result):
    behaviour, close = result['behavior'], result['behaviorClose']
    if case in LIMITS and result['remoteCloseCode'] == LIMITS[case]:
        return 'limit'
    if behaviour in GOOD and close in GOOD:
        return 'ok'
    return f'{behaviour}, close {close}'


def main():
    index = json.loads(pathlib.Path(sys.argv[1], 'index.json').read_text())['trolley']
    results = {case: outcome(case, result) for case, result in index.items()}
    rows = []
    for section, title in SECTIONS.items():
        counts = collections.Counter(
            result for case, result in results.items() if case.split('.')[0] == section)
        if not counts:
            continue
        others = sum(count for result, count in counts.items() if result not in ('ok', 'limit'))
        rows.append((section, title, sum(counts.values()), counts['ok'], counts['limit'], others))
    total = [sum(row[column] for row in rows) for column in range(2, 6)]
    lines = ['| section | | cases | as it should be | stated limits | otherwise |', '|--:|---|--:|--:|--:|--:|']
    lines += [f'| {row[0]} | {row[1]} | {row[2]} | {row[3]} | {row[4]} | {row[5]} |' for row in rows]
    lines += [f'| | all | {total[0]} | {total[1]} | {total[2]} | {total[3]} |']
    bad = {case: result for case, result in results.items() if result not in ('ok', 'limit')}
    print('\n'.join(lines))
    print(f"informational: {sum(result['behavior'] == 'INFORMATIONAL' for result in index.values())}")
    for case, result in bad.items():
        print(f'{case}: {result}')
    if len(sys.argv) > 2:
        page = pathlib.Path(__file__).with_name('page.md').read_text()
        details = '\n'.join(f'- {case}: {result}' for case, result in bad.items()) or 'None is otherwise.'
        page = page.replace('{date}', datetime.date.today().isoformat()).replace('{table}', '\n'.join(lines))
        pathlib.Path(sys.argv[2]).write_text(page.replace('{others}', details))
    sys.exit(1 if bad else 0)


main()
