// Deutsche Texte der Schlüssel für andere Programme, die nur wenige öffnen.
export default {
    'tokens.lead': 'Mit einem Schlüssel liest und ändert ein anderes Programm von dir deine Listen, nicht aber dein Konto. Du kannst jeden jederzeit zurücknehmen.',
    'tokens.name': 'Für welches Programm?', 'tokens.name.example': 'Thunderbird auf dem Laptop', 'tokens.name.hint': 'So heißen seine Änderungen im Verlauf.',
    'tokens.lists': 'Was der Schlüssel öffnet', 'tokens.lists.none': 'Wähle mindestens eine Liste.', 'tokens.all': 'Alle Listen', 'tokens.some': 'Einige Listen',
    'tokens.opens': { one: '{names}', other: '{n} Listen: {names}' }, 'tokens.readOnly': 'Darf nur ansehen',
    'tokens.end': 'Endet', 'tokens.end.never': 'Wenn ich ihn zurücknehme', 'tokens.end.days': { one: 'nach {n} Tag', other: 'nach {n} Tagen' },
    'tokens.make': 'Schlüssel machen', 'tokens.made': 'Der Schlüssel für „{name}“. Er ist nur jetzt zu sehen: Kopiere ihn dorthin.', 'tokens.key': 'Der Schlüssel für {name}', 'tokens.copy': 'Schlüssel kopieren',
    'tokens.tasks': 'Für eine Aufgaben-App (CalDAV): Die Adresse ist {address}, der Benutzer {email}, das Passwort dieser Schlüssel.',
    'tokens.used': 'zuletzt benutzt {time}', 'tokens.unused': 'noch nicht benutzt', 'tokens.until': 'endet {time}', 'tokens.over': 'endete {time}',
    'tokens.revoke': 'Schlüssel für {name} zurücknehmen', 'tokens.revoke.text': 'Das Programm, das ihn hat, ist sofort ausgesperrt. Was es geändert hat, bleibt.', 'tokens.revoke.action': 'Zurücknehmen',
};
