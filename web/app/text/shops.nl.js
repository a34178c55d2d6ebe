// Shops, and shopping several lists as one.
export default {
    'shops.where': 'Waar doe je boodschappen?', 'shops.at': 'Boodschappen bij {shop}', 'shops.any': 'Alle winkels', 'shops.edit': 'Winkels bewerken', 'shops.title': 'Winkels',
    'shops.hint': 'Een winkel kan een eigen volgorde van schappen hebben. Tik op een item om te zeggen dat het maar in één winkel wordt gekocht. Dit alles geldt voor iedereen op de lijst.',
    'shops.add': 'Winkel toevoegen', 'shops.name': 'Naam', 'shops.example': 'Buurtwinkel', 'shops.only': { one: 'Eén item wordt alleen daar gekocht', other: '{n} items worden alleen daar gekocht' },
    'shops.order': 'Volgorde van de schappen bij {shop}', 'shops.order.hint': 'Zoals je door deze winkel loopt.', 'shops.remove': '{shop} verwijderen', 'shops.removed': '‘{shop}’ is verwijderd.',
    'together.title': 'Meer lijsten tegelijk', 'together.hint': 'Kies de lijsten. Wat op meer lijsten staat, is één regel en wordt op elke lijst afgevinkt.',
    'together.begin': 'Samen boodschappen doen', 'together.news': { one: 'Eén nieuw item tonen', other: '{n} nieuwe items tonen' },
    'item.shop': 'Winkel', 'item.shop.any': 'Overal', 'activity.shop': '{name} heeft de winkel ‘{shop}’ gewijzigd', 'activity.shop.gone': '{name} heeft de winkel ‘{shop}’ verwijderd',
};
