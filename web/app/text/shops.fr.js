// Shops, and shopping several lists as one.
export default {
    'shops.where': 'Où fais-tu les courses ?', 'shops.at': 'Courses chez {shop}', 'shops.any': 'Tous les magasins', 'shops.edit': 'Modifier les magasins', 'shops.title': 'Magasins',
    'shops.hint': 'Un magasin peut avoir son propre ordre de rayons. Touche un article pour dire qu’il ne s’achète que dans un magasin. Tout cela vaut pour tous ceux de la liste.',
    'shops.add': 'Ajouter un magasin', 'shops.name': 'Nom', 'shops.example': 'Épicerie', 'shops.only': { one: 'Un article ne s’achète que là', other: '{n} articles ne s’achètent que là' },
    'shops.order': 'Ordre des rayons chez {shop}', 'shops.order.hint': 'Dans l’ordre où tu parcours ce magasin.', 'shops.remove': 'Retirer {shop}', 'shops.removed': '« {shop} » est retiré.',
    'together.title': 'Plusieurs listes à la fois', 'together.hint': 'Choisis les listes. Ce qui est sur plusieurs forme une seule ligne, cochée sur chacune.',
    'together.begin': 'Faire les courses', 'together.news': { one: 'Montrer un nouvel article', other: 'Montrer {n} nouveaux articles' },
    'item.shop': 'Magasin', 'item.shop.any': 'Partout', 'activity.shop': '{name} a modifié le magasin « {shop} »', 'activity.shop.gone': '{name} a retiré le magasin « {shop} »',
};
