// Your name, the order of your lists, lists before there is an account, links for several: texts that few people need often.
export default {
    'arrange.lead': 'Pinned lists come first. Lists in the archive stay in step, and others can go on with them. All of this is yours: on all your devices, and nobody else’s.',
    'arrange.pin': 'Pin {name}',
    'arrange.up': 'Move {name} up',
    'arrange.down': 'Move {name} down',
    'arrange.archive': 'Put {name} into the archive',
    'arrange.archived': 'In the archive',
    'alone.title': 'Lists on this device',
    'alone.text': 'Your lists are on this device alone. With an account they are on all your devices, are safe when this browser is cleared, and can be shared. They come along.',
    'profile.hint': 'Others on your lists see it, also for what you did before.',
    'profile.colour': 'Colour of your picture',
    'profile.colour.any': 'Any',
    'profile.saved': 'Saved.',
    'share.count': 'For how many people the link is', 'share.for': { one: 'For one person', other: 'For up to {n} people' },
    'share.many': 'The link works for {n} people, within 30 days. You find it again below.',
    'share.aLinkFor': { one: 'A link for {n} person', other: 'A link for {n} people' }, 'share.used': { one: '{n} has used it', other: '{n} have used it' },
    'share.show': 'Show the link again',
};
