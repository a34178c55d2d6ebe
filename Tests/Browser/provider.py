"""Identity providers: a real mock of PyPI's, and one that misbehaves."""

import base64
import hashlib
import http.server
import json
import pathlib
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request

from joserfc import jwt
from joserfc.jwk import ECKey

from service import until


class Provider:
    """`oidc-provider-mock`, with Anna."""

    def __init__(self, port):
        self.issuer = f"http://localhost:{port}"
        claims = {"sub": "anna", "email": "anna@id.example", "email_verified": True, "name": "Anna Provided"}
        self.process = subprocess.Popen(
            [pathlib.Path(sys.executable).parent / "oidc-provider-mock", "--port", str(port), "--require-nonce", "true",
             "--user-claims", json.dumps(claims)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(self._answers, "the provider answers")

    def _answers(self):
        try:
            with urllib.request.urlopen(self.issuer + "/.well-known/openid-configuration") as answer:
                return answer.status == 200
        except OSError:
            return False

    def end(self):
        self.process.terminate()
        self.process.wait(30)


class Misbehaving:
    """Signs everybody in as Mallory at once, and answers as `ways` says: by the name of what goes wrong."""

    def __init__(self):
        self.key = ECKey.generate_key("P-256", {"kid": "one"})
        self.way = ""
        self.asked = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer._get(self)

            def do_POST(self):
                outer._post(self)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.issuer = f"http://localhost:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def end(self):
        self.server.shutdown()

    @staticmethod
    def _answer(handler, body, status=200, **headers):
        bytes_ = body if isinstance(body, bytes) else json.dumps(body).encode()
        handler.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(bytes_)), **headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(bytes_)

    def _get(self, handler):
        url = urllib.parse.urlsplit(handler.path)
        self.asked.append(url.path)
        leads = {"discovery leads elsewhere": "/.well-known/openid-configuration", "keys lead elsewhere": "/jwks", "profile leads elsewhere": "/profile"}
        if leads.get(self.way) == url.path:
            return self._answer(handler, b"", 302, Location=self.issuer + "/elsewhere")
        if url.path == "/.well-known/openid-configuration":
            issuer = "https://id.example.com" if self.way == "another name" else self.issuer
            address = "ftp://localhost" if self.way == "another scheme" else self.issuer
            return self._answer(handler, {"issuer": issuer, "authorization_endpoint": address + "/authorize",
                                          "token_endpoint": self.issuer + "/token", "userinfo_endpoint": self.issuer + "/profile"})
        if url.path == "/jwks":
            return self._answer(handler, {"keys": [self.key.as_dict(private=False)]})
        if url.path == "/profile":
            sub = "somebody else" if self.way == "another's profile" else "mallory"
            return self._answer(handler, {"sub": sub, "email": "mallory@id.example", "email_verified": self.way != "unverified", "name": "Mallory"})
        if url.path == "/authorize":
            query = dict(urllib.parse.parse_qsl(url.query))
            self.nonce = query["nonce"]
            self.challenge = query["code_challenge"] if query["code_challenge_method"] == "S256" else None
            back = {"state": "forged" if self.way == "another state" else query["state"], "code": "code"}
            if self.way == "another issuer":
                back["iss"] = "https://id.example.com"
            if self.way == "refuses":
                back = {"state": query["state"], "error": "access_denied"}
            return self._answer(handler, b"", 302, Location=query["redirect_uri"] + "?" + urllib.parse.urlencode(back))
        self._answer(handler, {}, 404)

    def _post(self, handler):
        self.asked.append(handler.path)
        form = dict(urllib.parse.parse_qsl(handler.rfile.read(int(handler.headers["Content-Length"])).decode()))
        if self.way == "leads elsewhere":
            return self._answer(handler, b"", 307, Location=self.issuer + "/elsewhere")
        if self.way == "endless":
            handler.send_response(200)
            handler.end_headers()
            try:
                for _ in range(200):
                    handler.wfile.write(b" " * 65536)
            except OSError:
                pass
            return None
        if self.way == "drops":
            handler.send_response(200)
            handler.end_headers()
            try:
                for _ in range(60):
                    handler.wfile.write(b" ")
                    time.sleep(1)
            except OSError:
                pass
            return None
        if self.way == "no JSON":
            return self._answer(handler, b"<html>")
        # Whoever has the code alone gets nothing (RFC 7636 §4.6).
        verified = base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest()).rstrip(b"=").decode()
        if self.way == "an error" or verified != self.challenge:
            return self._answer(handler, {"error": "invalid_grant"}, 400)
        now = int(time.time())
        claims = {"iss": self.issuer, "sub": "mallory", "aud": "another" if self.way == "another audience" else form["client_id"],
                  "exp": now - 3600 if self.way == "expired" else now + 60, "nonce": "old" if self.way == "another nonce" else self.nonce}
        token = jwt.encode({"alg": "ES256", "kid": "one"}, claims, self.key)
        if self.way == "another signature":
            token = token[:-8] + "AAAAAAAA"
        return self._answer(handler, {"id_token": token, "access_token": "opens", "token_type": "Bearer"})
