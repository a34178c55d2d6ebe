// An item's details, shops, and shopping several lists as one.
export default {
    'item.text': 'Article', 'item.quantity': 'Quantité', 'item.quantity.example': '2 × 500 g', 'item.minus': 'Moins', 'item.plus': 'Plus', 'item.note': 'Note',
    'item.aisle': 'Rayon', 'item.aisle.example': 'Produits laitiers', 'item.place': 'Place sur la liste', 'item.history': 'Historique',
    'item.gone': '{name} a supprimé cet article.', 'item.again': 'Remettre', 'item.both': 'Modifié des deux côtés',
    'item.both.theirs': 'Entre-temps, {name} a écrit « {theirs} ».', 'item.both.removed': 'Entre-temps, {name} a vidé ce champ.',
    'item.both.take': 'Prendre l’autre', 'item.historyOf': 'Historique : {text}', 'item.every': 'Racheter', 'every.never': 'Quand quelqu’un le veut',
    'every.days': { one: 'Tous les jours', other: 'Tous les {n} jours' }, 'every.weeks': { one: 'Toutes les semaines', other: 'Toutes les {n} semaines' },
    'shops.where': 'Où fais-tu les courses ?', 'shops.at': 'Courses chez {shop}', 'shops.any': 'Tous les magasins', 'shops.edit': 'Modifier les magasins', 'shops.title': 'Magasins',
    'shops.hint': 'Un magasin peut avoir son propre ordre de rayons. Touche un article pour dire qu’il ne s’achète que dans un magasin. Tout cela vaut pour tous ceux de la liste.',
    'shops.add': 'Ajouter un magasin', 'shops.name': 'Nom', 'shops.example': 'Épicerie', 'shops.only': { one: 'Un article ne s’achète que là', other: '{n} articles ne s’achètent que là' },
    'shops.order': 'Ordre des rayons chez {shop}', 'shops.order.hint': 'Dans l’ordre où tu parcours ce magasin.', 'shops.remove': 'Retirer {shop}', 'shops.removed': '« {shop} » est retiré.',
    'together.title': 'Plusieurs listes à la fois', 'together.hint': 'Choisis les listes. Ce qui est sur plusieurs forme une seule ligne, cochée sur chacune.',
    'together.begin': 'Faire les courses', 'together.news': { one: 'Montrer un nouvel article', other: 'Montrer {n} nouveaux articles' },
    'item.shop': 'Magasin', 'item.shop.any': 'Partout', 'activity.shop': '{name} a modifié le magasin « {shop} »', 'activity.shop.gone': '{name} a retiré le magasin « {shop} »',
};
