"""Cables hold, lose and cut as they say."""

import socket
import threading
import unittest

from system.cable import Cable, Flow


class Cables(unittest.TestCase):
    def setUp(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.received: list[bytes] = []
        self.arrived = threading.Event()
        threading.Thread(target=self._serve, daemon=True).start()
        self.cable = Cable([self.listener.getsockname()[1]], seed=1)
        self.addCleanup(self.listener.close)
        self.addCleanup(self.cable.end)

    def _serve(self) -> None:
        """Answers what it gets."""
        while True:
            try:
                connection, _ = self.listener.accept()
                while data := connection.recv(100):
                    self.received.append(data)
                    self.arrived.set()
                    connection.sendall(data)
                connection.close()
            except OSError:
                if self.listener.fileno() < 0:
                    return

    def connect(self) -> socket.socket:
        client = socket.create_connection(("127.0.0.1", self.cable.port), timeout=0.3)
        self.addCleanup(client.close)
        return client

    def test_it_carries_both_ways(self) -> None:
        client = self.connect()
        client.sendall(b"a")
        self.assertEqual(client.recv(10), b"a")

    def test_a_held_request_arrives_later_also_without_its_sender(self) -> None:
        self.cable.set(to_service=Flow.HELD)
        client = self.connect()
        client.sendall(b"a")
        with self.assertRaises(TimeoutError):
            client.recv(10)
        self.assertEqual(self.received, [])
        client.close()
        self.cable.set()
        self.assertTrue(self.arrived.wait(5))

    def test_a_held_answer_arrives_later(self) -> None:
        self.cable.set(to_client=Flow.HELD)
        client = self.connect()
        client.sendall(b"a")
        self.assertTrue(self.arrived.wait(5))
        with self.assertRaises(TimeoutError):
            client.recv(10)
        self.cable.set()
        self.assertEqual(client.recv(10), b"a")

    def test_a_lost_answer_ends_the_connection_after_the_request(self) -> None:
        self.cable.set(to_client=Flow.LOST)
        client = self.connect()
        client.sendall(b"a")
        self.assertEqual(client.recv(10), b"")
        self.assertEqual(self.received, [b"a"])

    def test_a_cut_ends_connections_and_refuses_new_ones(self) -> None:
        client = self.connect()
        client.sendall(b"a")
        client.recv(10)
        self.cable.cut()
        self.assertEqual(client.recv(10), b"")
        self.assertEqual(self.connect().recv(10), b"")
        self.cable.set()
        client = self.connect()
        client.sendall(b"b")
        self.assertEqual(client.recv(10), b"b")


if __name__ == "__main__":
    unittest.main()
