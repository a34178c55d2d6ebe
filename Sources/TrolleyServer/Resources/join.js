"use strict";

// The commands are for a shell, so nothing goes into them but a secret and an address that are well-formed. The secret is
// 32 bytes in base64url; anybody can write a link with something else behind the '#'.
(() => {
  const secret = location.hash.slice(1);
  const page = location.origin + location.pathname;
  if (!/^[A-Za-z0-9_-]{43}$/.test(secret)) return;
  if (!/^https?:\/\/[A-Za-z0-9.:\[\]-]+(\/[A-Za-z0-9._~-]+)*\/join$/.test(page)) return;
  const link = page + "#" + secret;
  const service = page.slice(0, -"/join".length);
  document.getElementById("command").textContent = "trolley join '" + link + "'";
  document.getElementById("sign-up").textContent =
    "trolley sign-up " + service + " --email you@example.com --name You --invitation '" + link + "'";
  document.getElementById("invitation").hidden = false;
  document.getElementById("broken").hidden = true;
})();
