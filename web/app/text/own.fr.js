// Le nom, l’ordre des listes, les listes sans compte, les liens pour plusieurs : des textes dont on a rarement besoin.
export default {
    'arrange.lead': 'Les listes épinglées sont en tête. Celles des archives restent à jour, et les autres peuvent continuer à s’en servir. Tout cela ne vaut que pour toi, sur tous tes appareils.',
    'arrange.pin': 'Épingler {name}',
    'arrange.up': 'Monter {name}',
    'arrange.down': 'Descendre {name}',
    'arrange.archive': 'Mettre {name} aux archives',
    'arrange.archived': 'Aux archives',
    'alone.title': 'Listes sur cet appareil',
    'alone.text': 'Tes listes sont seulement sur cet appareil. Avec un compte, elles sont sur tous tes appareils, restent là si ce navigateur est vidé, et peuvent être partagées. Elles suivent.',
    'profile.hint': 'Les autres le voient sur tes listes, aussi pour ce que tu as fait avant.',
    'profile.colour': 'Couleur de ton image',
    'profile.colour.any': 'Au choix',
    'profile.saved': 'Enregistré.',
    'share.count': 'Pour combien de personnes est le lien', 'share.for': { one: 'Pour une personne', other: 'Pour {n} personnes au plus' },
    'share.many': 'Le lien marche pour {n} personnes, pendant 30 jours. Tu le retrouves plus bas.',
    'share.aLinkFor': { one: 'Un lien pour {n} personne', other: 'Un lien pour {n} personnes' }, 'share.used': { one: '{n} l’a utilisé', other: '{n} l’ont utilisé' },
    'share.show': 'Montrer le lien encore une fois',
};
