// An item's details, shops, and shopping several lists as one.
export default {
    'item.text': 'Item', 'item.quantity': 'Quantity', 'item.quantity.example': '2 × 500 g', 'item.minus': 'Less', 'item.plus': 'More', 'item.note': 'Note',
    'item.aisle': 'Aisle', 'item.aisle.example': 'Dairy', 'item.place': 'Place on the list', 'item.history': 'History', 'item.gone': '{name} has deleted this item.',
    'item.again': 'Put it back', 'item.both': 'Changed by both', 'item.both.theirs': '{name} has written “{theirs}” in the meantime.',
    'item.both.removed': '{name} has emptied this in the meantime.', 'item.both.take': 'Take theirs', 'item.historyOf': 'History of {text}',
    'item.every': 'Buy again', 'every.never': 'When somebody wants it', 'every.days': { one: 'Every day', other: 'Every {n} days' },
    'every.weeks': { one: 'Every week', other: 'Every {n} weeks' },
    'shops.where': 'Where are you shopping?', 'shops.at': 'Shopping at {shop}', 'shops.any': 'All shops', 'shops.edit': 'Edit the shops', 'shops.title': 'Shops',
    'shops.hint': 'A shop can have an order of aisles of its own. Tap an item to say that it is bought in one shop only. All of this is for everybody on the list.',
    'shops.add': 'Add a shop', 'shops.name': 'Name', 'shops.example': 'Corner shop', 'shops.only': { one: 'One item is bought there only', other: '{n} items are bought there only' },
    'shops.order': 'Order of the aisles at {shop}', 'shops.order.hint': 'In the order in which you walk through this shop.', 'shops.remove': 'Remove {shop}', 'shops.removed': '“{shop}” is removed.',
    'together.title': 'Shop several lists', 'together.hint': 'Choose the lists. What several of them want is one row, and is marked off on each.',
    'together.begin': 'Shop together', 'together.news': { one: 'Show one new item', other: 'Show {n} new items' },
    'item.shop': 'Shop', 'item.shop.any': 'Anywhere', 'activity.shop': '{name} changed the shop “{shop}”', 'activity.shop.gone': '{name} removed the shop “{shop}”',
};
