// Runs only where modules don't.
document.getElementById('old').removeAttribute('hidden');
