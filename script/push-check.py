"""Receives what the service at argv[1] sends, and verifies it with http-ece, py-vapid and the standard library."""

import base64
import hashlib
import hmac
import http.server
import json
import queue
import sys
import threading
import time
import urllib.request
import uuid

import http_ece
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from py_vapid import Vapid02

service = sys.argv[1]
received = queue.Queue()


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers['content-length']))
        received.put((self.path, dict((name.lower(), value) for name, value in self.headers.items()), body))
        self.send_response(201)
        self.end_headers()

    def log_message(self, *arguments):
        pass


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b'=').decode()


def from_base64url(text):
    return base64.urlsafe_b64decode(text + '=' * (-len(text) % 4))


def call(method, path, token=None, body=None, **headers):
    request = urllib.request.Request(
        service + path, method=method, data=None if body is None else json.dumps(body).encode())
    request.add_header('Content-Type', 'application/json')
    if token:
        request.add_header('Authorization', 'Bearer ' + token)
    for name, value in headers.items():
        request.add_header(name, value)
    with urllib.request.urlopen(request, timeout=60) as answer:
        text = answer.read()
        return json.loads(text) if text else None


def person(name):
    form = {'email': name + '@example.com', 'password': 'correct horse'}
    call('POST', '/v1/accounts', body=form | {'name': name})
    return call('POST', '/v1/sessions', body=form)['token']


def check(condition, what):
    if not condition:
        sys.exit('script/push-check: ' + what)


server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()
origin = 'http://127.0.0.1:%d' % server.server_port

anna, ben = person('Anna'), person('Ben')
groceries = str(uuid.uuid4())
call('POST', '/v1/lists', anna, {'id': groceries})
invitation = call('POST', '/v1/lists/%s/invitations' % groceries, anna, {'email': 'Ben@example.com'})
call('POST', '/v1/invitations/accept', ben, {'secret': invitation['secret']})

private = ec.generate_private_key(ec.SECP256R1())
public = private.public_key().public_bytes(
    serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
secret = uuid.uuid4().bytes
keys = {'p256dh': base64url(public), 'auth': base64url(secret)}
call('PUT', '/v1/push/subscription', ben, {'endpoint': origin + '/push', 'keys': keys},
     Origin='https://lists.example.com')
webhook = call('POST', '/v1/webhooks', ben, {'url': origin + '/hook', 'content': True})
public_key = call('GET', '/v1/push/key', ben)['publicKey']

call('PUT', '/v1/lists/%s/presence' % groceries, anna, {})
entry = {'id': str(uuid.uuid4()), 'operation': 'add', 'item': str(uuid.uuid4()), 'after': None,
         'fields': {'text': 'milk'}, 'deviceSequence': 1, 'age': 0}
call('POST', '/v1/lists/%s/entries' % groceries, anna, {'entries': [entry]})
call('PUT', '/v1/lists/%s/presence' % groceries, anna, {'present': False})

messages = {}
while len(messages) < 2:
    try:
        path, headers, body = received.get(timeout=120)
    except queue.Empty:
        sys.exit('script/push-check: the service has sent only %s' % sorted(messages))
    check(path not in messages, '%s was sent twice' % path)
    messages[path] = headers, body

headers, body = messages['/push']
check(headers['content-encoding'] == 'aes128gcm', 'another content coding')
text = json.loads(http_ece.decrypt(body, private_key=private, auth_secret=secret, version='aes128gcm'))
check(text['web_push'] == 8030, 'not the declarative form')
check(text['notification']['navigate'] == 'https://lists.example.com/#/list/' + groceries, 'another address')
check('Anna' not in str(text) and 'milk' not in str(text), 'it says what has happened')
check(Vapid02.verify(headers['authorization']), "py-vapid doesn't verify the token")
token, key = headers['authorization'].removeprefix('vapid t=').split(',k=')
check(key == public_key, 'another key than the one that the service names')
claims = json.loads(from_base64url(token.split('.')[1]))
check(claims['aud'] == origin and claims['sub'] == 'mailto:admin@example.com', 'other claims: %s' % claims)
check(time.time() < claims['exp'] <= time.time() + 86400, 'an invalid time: %s' % claims)
check(0 < int(headers['ttl']) <= 86400 and len(headers['topic']) <= 32, 'another TTL or topic')

headers, body = messages['/hook']
signed = b'%s.%s.%s' % (headers['webhook-id'].encode(), headers['webhook-timestamp'].encode(), body)
code = hmac.new(base64.b64decode(webhook['secret'].removeprefix('whsec_')), signed, hashlib.sha256)
check(headers['webhook-signature'] == 'v1,' + base64.b64encode(code.digest()).decode(), 'a wrong signature')
data = json.loads(body)['data']
check(data['list'] == groceries and data['people'][0]['added'] == 1, 'another webhook message: %s' % data)
print('push and webhook messages were decrypted and verified')
