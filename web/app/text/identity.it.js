// Testi italiani dell’accesso tramite un altro fornitore, che pochi servizi hanno.
export default {
    'identity.signIn': 'Accedi con {name}',
    'identity.notAuthenticated': 'L’accesso non è andato a buon fine. Riprova, o accedi con email e password.',
    'identity.crossOriginRequest': 'Ci è voluto troppo tempo, o l’accesso è iniziato in un’altra finestra. Riprova.',
    'identity.permissionFailure': 'Questo servizio non ti crea un account: non ne accetta di nuovi in questo modo, o il tuo indirizzo email lì non è verificato. Chiedi a chi lo gestisce.',
    'identity.serverRecordChanged': 'Esiste già un account con il tuo indirizzo email. Accedi con la sua password.',
    'identity.serviceUnavailable': 'La pagina di accesso non ha dato una risposta utile. Riprova più tardi, o accedi con email e password.',
};
