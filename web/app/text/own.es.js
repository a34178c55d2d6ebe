// El nombre propio, el orden de las listas, las listas sin cuenta, enlaces para varias personas: textos que se necesitan pocas veces.
export default {
    'arrange.lead': 'Las listas fijadas van primero. Las del archivo siguen al día, y los demás pueden seguir usándolas. Todo esto es solo tuyo, en todos tus dispositivos.',
    'arrange.pin': 'Fijar {name}',
    'arrange.up': 'Subir {name}',
    'arrange.down': 'Bajar {name}',
    'arrange.archive': 'Archivar {name}',
    'arrange.archived': 'En el archivo',
    'alone.title': 'Listas en este dispositivo',
    'alone.text': 'Tus listas están solo en este dispositivo. Con una cuenta están en todos tus dispositivos, se conservan si se borran los datos de este navegador y se pueden compartir. Vienen contigo.',
    'profile.hint': 'Lo ven los demás en tus listas, también en lo que hiciste antes.',
    'profile.colour': 'Color de tu imagen',
    'profile.colour.any': 'Cualquiera',
    'profile.saved': 'Guardado.',
    'share.count': 'Para cuántas personas es el enlace', 'share.for': { one: 'Para una persona', other: 'Para un máximo de {n} personas' },
    'share.many': 'El enlace sirve para {n} personas, durante 30 días. Lo encuentras de nuevo abajo.',
    'share.aLinkFor': { one: 'Un enlace para {n} persona', other: 'Un enlace para {n} personas' }, 'share.used': { one: '{n} lo ha usado', other: '{n} lo han usado' },
    'share.show': 'Mostrar el enlace otra vez',
};
