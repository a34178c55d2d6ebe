"""A little HTTP, for preparing and checking; nothing here is measured."""

import http.client
import json


class Client:
    """One kept-alive connection to a service on this machine."""

    def __init__(self, port, authorization=None):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.authorization = authorization

    def call(self, method, path, body=None, authorization=None):
        """Returns the JSON that the service answers.

        An answer that is no success is an OSError, because while a service starts, that is no better than none."""
        headers = {"Content-Type": "application/json"}
        if authorization or self.authorization:
            headers["Authorization"] = authorization or self.authorization
        self.connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = self.connection.getresponse()
        text = answer.read()
        if not 200 <= answer.status < 300:
            raise OSError(f"{method} {path}: {answer.status} {text[:300]!r}")
        self.headers = answer.headers
        return json.loads(text) if text else None


def answers(port, path):
    """Whether the service answers this path yet."""
    try:
        Client(port).call("GET", path)
    except (OSError, http.client.HTTPException):
        return False
    return True
