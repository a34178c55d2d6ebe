// Textos en español de las claves para otros programas, que pocas personas abren.
export default {
    'tokens.lead': 'Con una clave, otro de tus programas puede leer y cambiar tus listas, pero no tu cuenta. Puedes anular cualquiera cuando quieras.',
    'tokens.name': '¿Para qué programa es?', 'tokens.name.example': 'Thunderbird en el portátil', 'tokens.name.hint': 'Así aparecen sus cambios en la actividad.',
    'tokens.lists': 'Qué abre la clave', 'tokens.lists.none': 'Elige al menos una lista.', 'tokens.all': 'Todas las listas', 'tokens.some': 'Algunas listas',
    'tokens.opens': { one: '{names}', other: '{n} listas: {names}' }, 'tokens.readOnly': 'Solo puede verlas',
    'tokens.end': 'Caduca', 'tokens.end.never': 'Cuando yo la anule', 'tokens.end.days': { one: 'dentro de {n} día', other: 'dentro de {n} días' },
    'tokens.make': 'Crear una clave', 'tokens.made': 'La clave para «{name}». Solo se muestra ahora: cópiala en ese programa.', 'tokens.key': 'La clave para {name}', 'tokens.copy': 'Copiar la clave',
    'tokens.tasks': 'Para una aplicación de tareas (CalDAV): la dirección es {address}, el usuario {email} y la contraseña esta clave.',
    'tokens.used': 'último uso: {time}', 'tokens.unused': 'aún sin usar', 'tokens.until': 'caduca: {time}', 'tokens.over': 'caducó: {time}',
    'tokens.revoke': 'Anular la clave para {name}', 'tokens.revoke.text': 'El programa que la tiene pierde el acceso al momento. Lo que ha cambiado se queda.', 'tokens.revoke.action': 'Anular',
};
