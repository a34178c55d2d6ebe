// Deutsche Texte der Anmeldung bei einem anderen Anbieter, den nur wenige Dienste haben.
export default {
    'identity.signIn': 'Anmelden mit {name}',
    'identity.notAuthenticated': 'Dort wurde niemand angemeldet. Versuche es noch einmal, oder melde dich mit E-Mail und Passwort an.',
    'identity.crossOriginRequest': 'Das hat zu lange gedauert oder in einem anderen Fenster begonnen. Versuche es noch einmal.',
    'identity.permissionFailure': 'Dieser Dienst macht dir kein Konto: Er nimmt so keine neuen an, oder deine E-Mail-Adresse ist dort nicht bestätigt. Frage die Person, die ihn betreibt.',
    'identity.serverRecordChanged': 'Zu deiner E-Mail-Adresse gibt es schon ein Konto. Melde dich mit seinem Passwort an.',
    'identity.serviceUnavailable': 'Die Anmeldeseite hat keine brauchbare Antwort gegeben. Versuche es später noch einmal, oder melde dich mit E-Mail und Passwort an.',
};
