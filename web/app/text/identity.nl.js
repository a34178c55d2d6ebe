// Nederlandse teksten voor inloggen bij een andere aanbieder, die maar weinig servers hebben.
export default {
    'identity.signIn': 'Inloggen met {name}',
    'identity.notAuthenticated': 'Daar is niemand ingelogd. Probeer het opnieuw, of log in met e-mailadres en wachtwoord.',
    'identity.crossOriginRequest': 'Dat duurde te lang of begon in een ander venster. Probeer het opnieuw.',
    'identity.permissionFailure': 'Deze server maakt geen account voor je: op deze manier kan het niet, of je e-mailadres is daar niet bevestigd. Vraag het aan degene die de server beheert.',
    'identity.serverRecordChanged': 'Er is al een account met jouw e-mailadres. Log in met het wachtwoord daarvan.',
    'identity.serviceUnavailable': 'De inlogpagina gaf geen bruikbaar antwoord. Probeer het later opnieuw, of log in met e-mailadres en wachtwoord.',
};
