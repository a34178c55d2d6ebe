// Where main.js doesn't run, the page says so: a browser without modules or without later syntax, or a file that is missing.
// This file keeps to the syntax of old browsers.
window.onload = function () {
    var text = document.getElementById('old');
    if (text) text.removeAttribute('hidden');
};
