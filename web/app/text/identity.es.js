// Textos en español del inicio de sesión con otro proveedor, que pocos servicios tienen.
export default {
    'identity.signIn': 'Iniciar sesión con {name}',
    'identity.notAuthenticated': 'Allí no se ha iniciado ninguna sesión. Inténtalo de nuevo o inicia sesión con tu correo y contraseña.',
    'identity.crossOriginRequest': 'Ha tardado demasiado o empezó en otra ventana. Inténtalo de nuevo.',
    'identity.permissionFailure': 'Este servicio no te crea una cuenta: no acepta cuentas nuevas por esta vía, o tu dirección de correo no está confirmada allí. Pregunta a la persona que lo gestiona.',
    'identity.serverRecordChanged': 'Ya hay una cuenta con tu dirección de correo. Inicia sesión con su contraseña.',
    'identity.serviceUnavailable': 'La página de inicio de sesión no ha dado una respuesta válida. Inténtalo más tarde o inicia sesión con tu correo y contraseña.',
};
