// Textes français de la connexion chez un autre fournisseur, que peu de services ont.
export default {
    'identity.signIn': 'Se connecter avec {name}',
    'identity.notAuthenticated': 'La connexion n’a pas abouti. Réessaie, ou connecte-toi avec ton e-mail et ton mot de passe.',
    'identity.crossOriginRequest': 'Ça a pris trop de temps ou commencé dans une autre fenêtre. Réessaie.',
    'identity.permissionFailure': 'Ce service ne te crée pas de compte : il n’en accepte pas de nouveaux par ce moyen, ou ton adresse e-mail n’est pas vérifiée chez ce fournisseur. Vois avec la personne qui gère le service.',
    'identity.serverRecordChanged': 'Il existe déjà un compte avec ton adresse e-mail. Connecte-toi avec son mot de passe.',
    'identity.serviceUnavailable': 'La page de connexion n’a pas donné de réponse utilisable. Réessaie plus tard, ou connecte-toi avec ton e-mail et ton mot de passe.',
};
