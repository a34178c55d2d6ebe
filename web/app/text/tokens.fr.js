// Textes français des clés pour d’autres applis, que peu de gens ouvrent.
export default {
    'tokens.lead': 'Avec une clé, une autre de tes applis peut lire et modifier tes listes, mais pas ton compte. Tu peux reprendre chaque clé à tout moment.',
    'tokens.name': 'Pour quelle appli ?', 'tokens.name.example': 'Thunderbird sur l’ordi', 'tokens.name.hint': 'Ses modifications porteront ce nom dans l’activité.',
    'tokens.lists': 'Ce que la clé ouvre', 'tokens.lists.none': 'Choisis au moins une liste.', 'tokens.all': 'Toutes les listes', 'tokens.some': 'Certaines listes',
    'tokens.opens': { one: '{names}', other: '{n} listes : {names}' }, 'tokens.readOnly': 'Peut seulement voir les listes',
    'tokens.end': 'Valable', 'tokens.end.never': 'Jusqu’à ce que je la reprenne', 'tokens.end.days': { one: '{n} jour', other: '{n} jours' },
    'tokens.make': 'Créer une clé', 'tokens.made': 'La clé pour « {name} ». Elle ne s’affiche que maintenant : copie-la dans l’appli.', 'tokens.key': 'La clé pour {name}', 'tokens.copy': 'Copier la clé',
    'tokens.tasks': 'Pour une appli de tâches (CalDAV) : l’adresse est {address}, l’identifiant {email} et le mot de passe, cette clé.',
    'tokens.used': 'dernière utilisation : {time}', 'tokens.unused': 'pas encore utilisée', 'tokens.until': 'expire : {time}', 'tokens.over': 'expirée : {time}',
    'tokens.revoke': 'Reprendre la clé pour {name}', 'tokens.revoke.text': 'L’appli qui l’utilise perd l’accès aussitôt. Ce qu’elle a modifié reste.', 'tokens.revoke.action': 'Reprendre',
};
