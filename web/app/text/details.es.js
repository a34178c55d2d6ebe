// An item's details, shops, and shopping several lists as one.
export default {
    'item.text': 'Artículo', 'item.quantity': 'Cantidad', 'item.quantity.example': '2 × 500 g', 'item.minus': 'Menos', 'item.plus': 'Más', 'item.note': 'Nota',
    'item.aisle': 'Sección', 'item.aisle.example': 'Lácteos', 'item.place': 'Posición en la lista', 'item.history': 'Historial',
    'item.gone': '{name} ha eliminado este artículo.', 'item.again': 'Recuperar', 'item.both': 'Dos cambios a la vez',
    'item.both.theirs': 'Mientras tanto, {name} ha escrito «{theirs}».', 'item.both.removed': 'Mientras tanto, {name} lo ha dejado vacío.',
    'item.both.take': 'Usar lo suyo', 'item.historyOf': 'Historial de {text}', 'item.every': 'Volver a comprar', 'every.never': 'Cuando alguien lo quiera',
    'every.days': { one: 'Cada día', other: 'Cada {n} días' }, 'every.weeks': { one: 'Cada semana', other: 'Cada {n} semanas' },
    'shops.where': '¿Dónde compras?', 'shops.at': 'Compra en {shop}', 'shops.any': 'Todas las tiendas', 'shops.edit': 'Editar las tiendas', 'shops.title': 'Tiendas',
    'shops.hint': 'Una tienda puede tener su propio orden de secciones. Toca un artículo para indicar que solo se compra en una tienda. Todo esto vale para todas las personas de la lista.',
    'shops.add': 'Añadir una tienda', 'shops.name': 'Nombre', 'shops.example': 'Tienda de la esquina', 'shops.only': { one: 'Un artículo solo se compra allí', other: '{n} artículos solo se compran allí' },
    'shops.order': 'Orden de las secciones en {shop}', 'shops.order.hint': 'En el orden en que recorres esta tienda.', 'shops.remove': 'Quitar {shop}', 'shops.removed': 'Se ha quitado «{shop}».',
    'together.title': 'Comprar varias listas', 'together.hint': 'Elige las listas. Lo que está en varias es una sola línea y se marca en cada una.',
    'together.begin': 'Comprar juntas', 'together.news': { one: 'Mostrar un artículo nuevo', other: 'Mostrar {n} artículos nuevos' },
    'item.shop': 'Tienda', 'item.shop.any': 'En cualquiera', 'activity.shop': '{name} ha cambiado la tienda «{shop}»', 'activity.shop.gone': '{name} ha quitado la tienda «{shop}»',
};
