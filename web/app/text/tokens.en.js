// English texts of the sheet of keys for other programs, which few people open.
export default {
    'tokens.lead': 'A key lets another program of yours read and change your lists, but not your account. You can take each back at any time.',
    'tokens.name': 'Which program is it for?', 'tokens.name.example': 'Thunderbird on the laptop', 'tokens.name.hint': 'The Activity calls its changes by this name.',
    'tokens.lists': 'What the key opens', 'tokens.lists.none': 'Choose at least one list.', 'tokens.all': 'All lists', 'tokens.some': 'Some lists',
    'tokens.opens': { one: '{names}', other: '{n} lists: {names}' }, 'tokens.readOnly': 'May look only',
    'tokens.end': 'Ends', 'tokens.end.never': 'When I take it back', 'tokens.end.days': { one: 'after {n} day', other: 'after {n} days' },
    'tokens.make': 'Make a key', 'tokens.made': 'The key for “{name}”. It is shown only now: copy it there.', 'tokens.key': 'The key for {name}', 'tokens.copy': 'Copy the key',
    'tokens.tasks': 'For a task app (CalDAV): the address is {address}, the user {email}, the password this key.',
    'tokens.used': 'last used {time}', 'tokens.unused': 'not used yet', 'tokens.until': 'ends {time}', 'tokens.over': 'ended {time}',
    'tokens.revoke': 'Take back the key for {name}', 'tokens.revoke.text': 'The program that has it is shut out at once. What it has changed stays.', 'tokens.revoke.action': 'Take it back',
};
