// Der eigene Name, die Ordnung der Listen, Listen ohne Konto, Links für mehrere: Texte, die man selten braucht.
export default {
    'arrange.lead': 'Angeheftete Listen stehen oben. Listen im Archiv bleiben auf dem neuesten Stand, und andere können daran weitermachen. Das alles gilt nur für dich, auf allen deinen Geräten.',
    'arrange.pin': '{name} anheften',
    'arrange.up': '{name} nach oben',
    'arrange.down': '{name} nach unten',
    'arrange.archive': '{name} ins Archiv legen',
    'arrange.archived': 'Im Archiv',
    'alone.title': 'Listen auf diesem Gerät',
    'alone.text': 'Deine Listen sind nur auf diesem Gerät. Mit einem Konto sind sie auf allen deinen Geräten, bleiben erhalten, wenn dieser Browser geleert wird, und lassen sich teilen. Sie kommen mit.',
    'profile.hint': 'Andere auf deinen Listen sehen ihn, auch bei dem, was du früher getan hast.',
    'profile.colour': 'Farbe deines Bildes',
    'profile.colour.any': 'Beliebig',
    'profile.saved': 'Gespeichert.',
    'share.count': 'Für wie viele Menschen der Link ist', 'share.for': { one: 'Für eine Person', other: 'Für bis zu {n} Personen' },
    'share.many': 'Der Link geht für {n} Personen, 30 Tage lang. Unten findest du ihn wieder.',
    'share.aLinkFor': { one: 'Ein Link für {n} Person', other: 'Ein Link für {n} Personen' }, 'share.used': { one: '{n} hat ihn benutzt', other: '{n} haben ihn benutzt' },
    'share.show': 'Den Link noch einmal zeigen',
};
