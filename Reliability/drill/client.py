"""The service's API, as far as the drill uses it."""

import http.client
import json
import os
import time


# The service closes a connection that was idle for two minutes.
_IDLE = 60


class Unanswered(Exception):
    """No answer came, or one that says to come again: the request may have taken effect."""


class Refused(Exception):
    def __init__(self, status, problem):
        super().__init__(f"{status} {problem}")
        self.status, self.code = status, problem.get("code")


class Client:
    """One device of one person, on a connection that is kept."""

    def __init__(self, address, timeout=60):
        self.host = address.removeprefix("http://")
        self.timeout, self.token, self.connection, self.used = timeout, None, None, 0.0

    def call(self, method, path, body=None):
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        try:
            if self.connection is None or time.monotonic() > self.used + _IDLE:
                self.connection = http.client.HTTPConnection(self.host, timeout=self.timeout)
            self.connection.request(method, path, json.dumps(body) if body is not None else None, headers)
            answer = self.connection.getresponse()
            text = answer.read()
            self.used = time.monotonic()
        except (OSError, http.client.HTTPException) as error:
            self.connection = None
            raise Unanswered(repr(error)) from error
        value = json.loads(text) if text else {}
        if answer.status in (429, 503):
            raise Unanswered(value.get("detail") or value.get("code"))
        if answer.status >= 400:
            raise Refused(answer.status, value)
        return value

    def sign_up(self, email, name, password="correct horse battery"):
        self.call("POST", "/v1/accounts", {"email": email, "name": name, "password": password})
        return self.sign_in(email, password)

    def sign_in(self, email, password="correct horse battery"):
        self.token = self.call("POST", "/v1/sessions", {"email": email, "password": password})["token"]
        return self

    def make_list(self):
        return self.call("POST", "/v1/lists", {"id": identifier()})["id"]

    def invite(self, list_id):
        return self.call("POST", f"/v1/lists/{list_id}/invitations", {})["secret"]

    def join(self, secret):
        self.call("POST", "/v1/invitations/accept", {"secret": secret})


def identifier():
    """A UUIDv7."""
    text = f"{int(time.time() * 1000):012x}7{os.urandom(2).hex()[:3]}8{os.urandom(8).hex()[:15]}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:32]}"
