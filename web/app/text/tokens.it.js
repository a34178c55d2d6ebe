// Testi italiani delle chiavi per altri programmi, che pochi aprono.
export default {
    'tokens.lead': 'Con una chiave un altro tuo programma legge e modifica le tue liste, ma non il tuo account. Puoi revocare ogni chiave quando vuoi.',
    'tokens.name': 'Per quale programma è?', 'tokens.name.example': 'Thunderbird sul portatile', 'tokens.name.hint': 'In Attività le sue modifiche hanno questo nome.',
    'tokens.lists': 'Che cosa apre la chiave', 'tokens.lists.none': 'Scegli almeno una lista.', 'tokens.all': 'Tutte le liste', 'tokens.some': 'Alcune liste',
    'tokens.opens': { one: '{names}', other: '{n} liste: {names}' }, 'tokens.readOnly': 'Può solo guardare',
    'tokens.end': 'Scade', 'tokens.end.never': 'Quando la revoco', 'tokens.end.days': { one: 'dopo {n} giorno', other: 'dopo {n} giorni' },
    'tokens.make': 'Crea una chiave', 'tokens.made': 'La chiave per “{name}”. La vedi solo adesso: copiala subito nel programma.', 'tokens.key': 'La chiave per {name}', 'tokens.copy': 'Copia la chiave',
    'tokens.tasks': 'Per un’app di promemoria (CalDAV): l’indirizzo è {address}, l’utente {email}, la password questa chiave.',
    'tokens.used': 'ultimo uso: {time}', 'tokens.unused': 'non ancora usata', 'tokens.until': 'scade: {time}', 'tokens.over': 'scaduta: {time}',
    'tokens.revoke': 'Revoca la chiave per {name}', 'tokens.revoke.text': 'Il programma che la usa resta fuori da subito. Quello che ha modificato resta.', 'tokens.revoke.action': 'Revoca',
};
