// English texts of signing in at an identity provider, which few services have.
export default {
    'identity.signIn': 'Sign in with {name}',
    'identity.notAuthenticated': 'Nobody was signed in there. Try again, or sign in with email and password.',
    'identity.crossOriginRequest': 'That took too long, or began in another window. Try again.',
    'identity.permissionFailure': 'This service makes no account for you: it takes no new ones in this way, or your email address is not verified there. Ask the person who runs it.',
    'identity.serverRecordChanged': 'There is an account with your email address already. Sign in with its password.',
    'identity.serviceUnavailable': 'The sign-in page gave no usable answer. Try again later, or sign in with email and password.',
};
