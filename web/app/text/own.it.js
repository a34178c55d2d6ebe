// Il proprio nome, l’ordine delle liste, le liste senza account, i link per più persone: testi che servono di rado.
export default {
    'arrange.lead': 'Le liste in evidenza vengono prima. Quelle nell’archivio restano aggiornate, e gli altri possono continuare a usarle. Tutto questo vale solo per te, su tutti i tuoi dispositivi.',
    'arrange.pin': 'Metti {name} in evidenza',
    'arrange.up': 'Sposta {name} in su',
    'arrange.down': 'Sposta {name} in giù',
    'arrange.archive': 'Metti {name} nell’archivio',
    'arrange.archived': 'Nell’archivio',
    'alone.title': 'Liste su questo dispositivo',
    'alone.text': 'Le tue liste sono solo su questo dispositivo. Con un account sono su tutti i tuoi dispositivi, restano se questo browser viene svuotato e si possono condividere. Vengono con te.',
    'profile.hint': 'Gli altri lo vedono sulle tue liste, anche per ciò che hai fatto prima.',
    'profile.colour': 'Colore della tua immagine',
    'profile.colour.any': 'Qualsiasi',
    'profile.saved': 'Salvato.',
    'share.count': 'Per quante persone è il link', 'share.for': { one: 'Per una persona', other: 'Per un massimo di {n} persone' },
    'share.many': 'Il link vale per {n} persone, per 30 giorni. Lo ritrovi qui sotto.',
    'share.aLinkFor': { one: 'Un link per {n} persona', other: 'Un link per {n} persone' }, 'share.used': { one: '{n} l’ha usato', other: '{n} l’hanno usato' },
    'share.show': 'Mostra di nuovo il link',
};
