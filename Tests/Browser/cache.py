"""A cache that several browsers share on their way to the service, as companies, providers and content networks run them."""

import dataclasses
import email.message
import email.utils
import re
import time

# What may be stored without a word about it (RFC 9110, 15.1). Parts are not stored here.
STORABLE = {200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501}
# Seconds for which a rude cache keeps what doesn't say for how long.
ANYTHING = 3600
BETWEEN_TWO = {"connection", "keep-alive", "transfer-encoding", "content-length"}


def directives(headers):
    """Of Cache-Control: `{'public': '', 'max-age': '60'}`."""
    text = ",".join(headers.get_all("Cache-Control", []))
    return {name.lower(): value for name, value in re.findall(r'([\w-]+)(?:="?([^",]*)"?)?', text)}


@dataclasses.dataclass
class Request:
    method: str
    address: str
    headers: email.message.Message
    body: bytes = b""

    def __bytes__(self):
        lines = [f"{self.method} {self.address} HTTP/1.1", *(f"{name}: {value}" for name, value in self.headers.items())]
        return "\r\n".join([*lines, "", ""]).encode("latin-1") + self.body


@dataclasses.dataclass
class Answer:
    status: int
    headers: email.message.Message
    body: bytes = b""
    # Of a stored one: the request that brought it, when, and how long ago that is.
    request: Request | None = None
    since: float = 0
    age: int = 0

    def __bytes__(self):
        lines = [f"HTTP/1.1 {self.status} ", *(f"{name}: {value}" for name, value in self.headers.items() if name.lower() not in BETWEEN_TWO)]
        if self.status not in (204, 304):
            lines.append(f"Content-Length: {len(self.body)}")
        if self.request:
            lines.append(f"Age: {self.age}")
        return "\r\n".join([*lines, "", ""]).encode("latin-1") + self.body

    def lifetime(self, otherwise):
        """Seconds for which it is fresh (RFC 9111, 4.2)."""
        said = directives(self.headers)
        if "no-cache" in said:
            return 0
        for name in ("s-maxage", "max-age"):
            if name in said:
                return int(said[name])
        date, expires, modified = (email.utils.parsedate_to_datetime(text) if (text := self.headers[name]) else None
                                   for name in ("Date", "Expires", "Last-Modified"))
        if date and expires:
            return (expires - date).total_seconds()
        return (date - modified).total_seconds() / 10 if date and modified else otherwise

    def is_for(self, request):
        names = [name.strip() for name in (self.headers["Vary"] or "").split(",") if name.strip()]
        return "*" not in names and all(self.request.headers[name] == request.headers[name] for name in names)


class SharedCache:
    """Stores answers to GET by address, as RFC 9111 lets a shared cache. A rude one stores whatever isn't `no-store` or
    `private`, also what somebody got by their cookie, and doesn't care for what a request asks of caches."""

    def __init__(self, is_rude=False, clock=time.time):
        self.is_rude, self.clock = is_rude, clock
        # By address, the newest last.
        self.stored = {}
        # Addresses whose answer came from here.
        self.given = []

    def answer(self, request, ask):
        """The answer to a request. `ask` gets one from the service."""
        known = self._known(request) if request.method == "GET" else None
        asked = set() if self.is_rude else directives(request.headers).keys()
        if known and not asked & {"no-cache", "no-store"} and self.clock() - known.since < self._lifetime(known):
            return self._give(known)
        if known and known.headers["ETag"]:
            headers = email.message.Message()
            for name, value in request.headers.items():
                if name.lower() not in ("if-none-match", "if-modified-since"):
                    headers[name] = value
            headers["If-None-Match"] = known.headers["ETag"]
            answer = ask(Request("GET", request.address, headers))
            if answer.status == 304:
                known.since = self.clock()
                for name, value in answer.headers.items():
                    del known.headers[name]
                    known.headers[name] = value
                return self._give(known)
        else:
            answer = ask(request)
        if request.method not in ("GET", "HEAD", "OPTIONS") and answer.status < 400 and not self.is_rude:
            self.stored.pop(request.address, None)
        if request.method == "GET" and self._may_store(request, answer) and "no-store" not in asked:
            others = [other for other in self.stored.get(request.address, []) if other is not known]
            stored = dataclasses.replace(answer, request=request, since=self.clock())
            self.stored[request.address] = [*others, stored]
        return answer

    def _known(self, request):
        return next((answer for answer in reversed(self.stored.get(request.address, [])) if answer.is_for(request)), None)

    def _lifetime(self, answer):
        return answer.lifetime(ANYTHING if self.is_rude else 0)

    def _give(self, answer):
        self.given.append(answer.request.address)
        return dataclasses.replace(answer, age=int(self.clock() - answer.since))

    def _may_store(self, request, answer):
        said = directives(answer.headers).keys()
        if answer.status not in STORABLE or said & {"no-store", "private"}:
            return False
        if self.is_rude:
            return True
        # Whoever has signed in may get what is theirs (RFC 9111, 3.5). Cookies are as good as that.
        is_personal = request.headers["Authorization"] or request.headers["Cookie"]
        return not is_personal or bool(said & {"public", "s-maxage", "must-revalidate"})
