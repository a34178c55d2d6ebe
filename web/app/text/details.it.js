// An item's details, shops, and shopping several lists as one.
export default {
    'item.text': 'Articolo', 'item.quantity': 'Quantità', 'item.quantity.example': '2 × 500 g', 'item.minus': 'Meno', 'item.plus': 'Più', 'item.note': 'Nota',
    'item.aisle': 'Reparto', 'item.aisle.example': 'Latticini', 'item.place': 'Posizione in lista', 'item.history': 'Cronologia',
    'item.gone': '{name} ha eliminato questo articolo.', 'item.again': 'Rimetti in lista', 'item.both': 'Due modifiche insieme',
    'item.both.theirs': 'Nel frattempo {name} ha scritto “{theirs}”.', 'item.both.removed': 'Nel frattempo {name} ha svuotato questo campo.',
    'item.both.take': 'Usa l’altra', 'item.historyOf': 'Cronologia di {text}', 'item.every': 'Ricomprare', 'every.never': 'Quando qualcuno lo vuole',
    'every.days': { one: 'Ogni giorno', other: 'Ogni {n} giorni' }, 'every.weeks': { one: 'Ogni settimana', other: 'Ogni {n} settimane' },
    'shops.where': 'Dove fai la spesa?', 'shops.at': 'Spesa da {shop}', 'shops.any': 'Tutti i negozi', 'shops.edit': 'Modifica i negozi', 'shops.title': 'Negozi',
    'shops.hint': 'Un negozio può avere un ordine dei reparti tutto suo. Tocca un articolo per dire che si compra in un solo negozio. Tutto questo vale per tutti quelli della lista.',
    'shops.add': 'Aggiungi un negozio', 'shops.name': 'Nome', 'shops.example': 'Bottega', 'shops.only': { one: 'Un articolo si compra solo lì', other: '{n} articoli si comprano solo lì' },
    'shops.order': 'Ordine dei reparti da {shop}', 'shops.order.hint': 'Nell’ordine in cui attraversi questo negozio.', 'shops.remove': 'Rimuovi {shop}', 'shops.removed': '“{shop}” è rimosso.',
    'together.title': 'Spesa di più liste', 'together.hint': 'Scegli le liste. Ciò che sta su più liste è una sola riga e viene spuntato su ognuna.',
    'together.begin': 'Fai la spesa insieme', 'together.news': { one: 'Mostra un nuovo articolo', other: 'Mostra {n} nuovi articoli' },
    'item.shop': 'Negozio', 'item.shop.any': 'Ovunque', 'activity.shop': '{name} ha cambiato il negozio “{shop}”', 'activity.shop.gone': '{name} ha rimosso il negozio “{shop}”',
};
