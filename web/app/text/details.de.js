// An item's details, shops, and shopping several lists as one.
export default {
    'item.text': 'Was', 'item.quantity': 'Menge', 'item.quantity.example': '2 × 500 g', 'item.minus': 'Weniger', 'item.plus': 'Mehr', 'item.note': 'Notiz',
    'item.aisle': 'Regal', 'item.aisle.example': 'Milchprodukte', 'item.place': 'Platz auf der Liste', 'item.history': 'Verlauf',
    'item.gone': '{name} hat das gelöscht.', 'item.again': 'Zurückholen', 'item.both': 'Von beiden geändert',
    'item.both.theirs': '{name} hat inzwischen „{theirs}“ geschrieben.', 'item.both.removed': '{name} hat das inzwischen geleert.',
    'item.both.take': 'Das andere nehmen', 'item.historyOf': 'Verlauf von {text}', 'item.every': 'Wieder kaufen', 'every.never': 'Wenn es jemand braucht',
    'every.days': { one: 'Jeden Tag', other: 'Alle {n} Tage' }, 'every.weeks': { one: 'Jede Woche', other: 'Alle {n} Wochen' },
    'shops.where': 'Wo kaufst du ein?', 'shops.at': 'Einkauf bei {shop}', 'shops.any': 'Alle Läden', 'shops.edit': 'Läden bearbeiten', 'shops.title': 'Läden',
    'shops.hint': 'Ein Laden kann eine eigene Reihenfolge der Regale haben. Tippe auf einen Eintrag, wenn es ihn nur in einem Laden gibt. All das gilt für alle auf der Liste.',
    'shops.add': 'Laden hinzufügen', 'shops.name': 'Name', 'shops.example': 'Hofladen', 'shops.only': { one: 'Einen Eintrag gibt es nur dort', other: '{n} Einträge gibt es nur dort' },
    'shops.order': 'Reihenfolge der Regale bei {shop}', 'shops.order.hint': 'So, wie du durch diesen Laden gehst.', 'shops.remove': '{shop} entfernen', 'shops.removed': '„{shop}“ ist entfernt.',
    'together.title': 'Mehrere Listen einkaufen', 'together.hint': 'Wähle die Listen. Was auf mehreren steht, ist eine Zeile und wird auf jeder abgehakt.',
    'together.begin': 'Zusammen einkaufen', 'together.news': { one: 'Einen neuen Eintrag zeigen', other: '{n} neue Einträge zeigen' },
    'item.shop': 'Laden', 'item.shop.any': 'Überall', 'activity.shop': '{name} hat den Laden „{shop}“ geändert', 'activity.shop.gone': '{name} hat den Laden „{shop}“ entfernt',
};
