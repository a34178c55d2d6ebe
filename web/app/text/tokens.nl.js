// Nederlandse teksten van de sleutels voor andere programma’s, die maar weinig mensen openen.
export default {
    'tokens.lead': 'Met een sleutel kan een ander programma van jou je lijsten lezen en wijzigen, maar niet je account. Je kunt elke sleutel altijd weer intrekken.',
    'tokens.name': 'Voor welk programma?', 'tokens.name.example': 'Thunderbird op de laptop', 'tokens.name.hint': 'Onder deze naam staan de wijzigingen bij Activiteit.',
    'tokens.lists': 'Wat de sleutel opent', 'tokens.lists.none': 'Kies minstens één lijst.', 'tokens.all': 'Alle lijsten', 'tokens.some': 'Bepaalde lijsten',
    'tokens.opens': { one: '{names}', other: '{n} lijsten: {names}' }, 'tokens.readOnly': 'Mag alleen kijken',
    'tokens.end': 'Vervalt', 'tokens.end.never': 'Als ik hem intrek', 'tokens.end.days': { one: 'na {n} dag', other: 'na {n} dagen' },
    'tokens.make': 'Sleutel maken', 'tokens.made': 'De sleutel voor “{name}”. Je ziet hem alleen nu: kopieer hem daarheen.', 'tokens.key': 'De sleutel voor {name}', 'tokens.copy': 'Sleutel kopiëren',
    'tokens.tasks': 'Voor een takenapp (CalDAV): het adres is {address}, de gebruiker {email}, het wachtwoord deze sleutel.',
    'tokens.used': 'laatst gebruikt: {time}', 'tokens.unused': 'nog niet gebruikt', 'tokens.until': 'vervalt {time}', 'tokens.over': 'vervallen {time}',
    'tokens.revoke': 'Sleutel voor {name} intrekken', 'tokens.revoke.text': 'Het programma dat hem heeft, kan er meteen niet meer in. Wat het heeft gewijzigd, blijft staan.', 'tokens.revoke.action': 'Intrekken',
};
