// Shops, and shopping several lists as one.
export default {
    'shops.where': 'Where are you shopping?', 'shops.at': 'Shopping at {shop}', 'shops.any': 'All shops', 'shops.edit': 'Edit the shops', 'shops.title': 'Shops',
    'shops.hint': 'A shop can have an order of aisles of its own. Tap an item to say that it is bought in one shop only. All of this is for everybody on the list.',
    'shops.add': 'Add a shop', 'shops.name': 'Name', 'shops.example': 'Corner shop', 'shops.only': { one: 'One item is bought there only', other: '{n} items are bought there only' },
    'shops.order': 'Order of the aisles at {shop}', 'shops.order.hint': 'In the order in which you walk through this shop.', 'shops.remove': 'Remove {shop}', 'shops.removed': '“{shop}” is removed.',
    'together.title': 'Shop several lists', 'together.hint': 'Choose the lists. What several of them want is one row, and is marked off on each.',
    'together.begin': 'Shop together', 'together.news': { one: 'Show one new item', other: 'Show {n} new items' },
    'item.shop': 'Shop', 'item.shop.any': 'Anywhere', 'activity.shop': '{name} changed the shop “{shop}”', 'activity.shop.gone': '{name} removed the shop “{shop}”',
};
