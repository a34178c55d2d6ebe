// De eigen naam, de volgorde van de lijsten, lijsten zonder account, links voor meerdere mensen: teksten die je zelden nodig hebt.
export default {
    'arrange.lead': 'Vastgezette lijsten staan vooraan. Lijsten in het archief blijven bij, en anderen kunnen ermee doorgaan. Dit alles geldt alleen voor jou, op al je apparaten.',
    'arrange.pin': '{name} vastzetten',
    'arrange.up': '{name} omhoog',
    'arrange.down': '{name} omlaag',
    'arrange.archive': '{name} in het archief leggen',
    'arrange.archived': 'In het archief',
    'alone.title': 'Lijsten op dit apparaat',
    'alone.text': 'Je lijsten staan alleen op dit apparaat. Met een account staan ze op al je apparaten, blijven ze bestaan als deze browser wordt leeggemaakt, en kun je ze delen. Ze gaan mee.',
    'profile.hint': 'Anderen op je lijsten zien hem, ook bij wat je eerder deed.',
    'profile.colour': 'Kleur van je plaatje',
    'profile.colour.any': 'Maakt niet uit',
    'profile.saved': 'Opgeslagen.',
    'share.count': 'Voor hoeveel mensen de link is', 'share.for': { one: 'Voor één persoon', other: 'Voor maximaal {n} personen' },
    'share.many': 'De link werkt voor {n} personen, 30 dagen lang. Je vindt hem hieronder terug.',
    'share.aLinkFor': { one: 'Een link voor {n} persoon', other: 'Een link voor {n} personen' }, 'share.used': { one: '{n} heeft hem gebruikt', other: '{n} hebben hem gebruikt' },
    'share.show': 'De link nog eens tonen',
};
