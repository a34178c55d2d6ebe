// An item's details, shops, and shopping several lists as one.
export default {
    'item.text': 'Wat', 'item.quantity': 'Hoeveelheid', 'item.quantity.example': '2 × 500 g', 'item.minus': 'Minder', 'item.plus': 'Meer', 'item.note': 'Notitie',
    'item.aisle': 'Schap', 'item.aisle.example': 'Zuivel', 'item.place': 'Plaats op de lijst', 'item.history': 'Geschiedenis',
    'item.gone': '{name} heeft dit item verwijderd.', 'item.again': 'Terugzetten', 'item.both': 'Allebei gewijzigd',
    'item.both.theirs': '{name} heeft intussen “{theirs}” geschreven.', 'item.both.removed': '{name} heeft dit intussen leeggemaakt.',
    'item.both.take': 'Andere overnemen', 'item.historyOf': 'Geschiedenis van {text}', 'item.every': 'Opnieuw kopen', 'every.never': 'Als iemand het wil',
    'every.days': { one: 'Elke dag', other: 'Elke {n} dagen' }, 'every.weeks': { one: 'Elke week', other: 'Elke {n} weken' },
    'shops.where': 'Waar doe je boodschappen?', 'shops.at': 'Boodschappen bij {shop}', 'shops.any': 'Alle winkels', 'shops.edit': 'Winkels bewerken', 'shops.title': 'Winkels',
    'shops.hint': 'Een winkel kan een eigen volgorde van schappen hebben. Tik op een item om te zeggen dat het maar in één winkel wordt gekocht. Dit alles geldt voor iedereen op de lijst.',
    'shops.add': 'Winkel toevoegen', 'shops.name': 'Naam', 'shops.example': 'Buurtwinkel', 'shops.only': { one: 'Eén item wordt alleen daar gekocht', other: '{n} items worden alleen daar gekocht' },
    'shops.order': 'Volgorde van de schappen bij {shop}', 'shops.order.hint': 'Zoals je door deze winkel loopt.', 'shops.remove': '{shop} verwijderen', 'shops.removed': '‘{shop}’ is verwijderd.',
    'together.title': 'Meer lijsten tegelijk', 'together.hint': 'Kies de lijsten. Wat op meer lijsten staat, is één regel en wordt op elke lijst afgevinkt.',
    'together.begin': 'Samen boodschappen doen', 'together.news': { one: 'Eén nieuw item tonen', other: '{n} nieuwe items tonen' },
    'item.shop': 'Winkel', 'item.shop.any': 'Overal', 'activity.shop': '{name} heeft de winkel ‘{shop}’ gewijzigd', 'activity.shop.gone': '{name} heeft de winkel ‘{shop}’ verwijderd',
};
