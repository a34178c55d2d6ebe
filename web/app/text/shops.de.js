// Shops, and shopping several lists as one.
export default {
    'shops.where': 'Wo kaufst du ein?', 'shops.at': 'Einkauf bei {shop}', 'shops.any': 'Alle Läden', 'shops.edit': 'Läden bearbeiten', 'shops.title': 'Läden',
    'shops.hint': 'Ein Laden kann eine eigene Reihenfolge der Regale haben. Tippe auf einen Eintrag, wenn es ihn nur in einem Laden gibt. All das gilt für alle auf der Liste.',
    'shops.add': 'Laden hinzufügen', 'shops.name': 'Name', 'shops.example': 'Hofladen', 'shops.only': { one: 'Einen Eintrag gibt es nur dort', other: '{n} Einträge gibt es nur dort' },
    'shops.order': 'Reihenfolge der Regale bei {shop}', 'shops.order.hint': 'So, wie du durch diesen Laden gehst.', 'shops.remove': '{shop} entfernen', 'shops.removed': '„{shop}“ ist entfernt.',
    'together.title': 'Mehrere Listen einkaufen', 'together.hint': 'Wähle die Listen. Was auf mehreren steht, ist eine Zeile und wird auf jeder abgehakt.',
    'together.begin': 'Zusammen einkaufen', 'together.news': { one: 'Einen neuen Eintrag zeigen', other: '{n} neue Einträge zeigen' },
    'item.shop': 'Laden', 'item.shop.any': 'Überall', 'activity.shop': '{name} hat den Laden „{shop}“ geändert', 'activity.shop.gone': '{name} hat den Laden „{shop}“ entfernt',
};
