"""A cable to the service: a TCP proxy that can be cut, lose answers, and answer in the service's place.

It runs in one thread of its own: Home Assistant's tests count the threads that a test leaves.
"""

import asyncio
import threading

_LOOP = asyncio.new_event_loop()
threading.Thread(target=_LOOP.run_forever, name="cable", daemon=True).start()


class Cable:
    """- `cut()`: connections break, and new ones are refused.
    - `loses_answers`: a request takes effect, and all connections break when the answer comes. Of all requests, or only of those whose
      first line begins so.
    - `answers_instead`: the bytes that each request gets for an answer, as from a proxy without a service behind it.
    """

    def __init__(self, port):
        self.target = port
        self.is_cut = False
        self.loses_answers = False
        self.answers_instead = None
        #: The first line of each request, and how often a connection was tried.
        self.requests = []
        self.connections = 0
        self._writers = set()
        self._server = self._run(asyncio.start_server(self._carry, "127.0.0.1", 0))
        self.port = self._server.sockets[0].getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"

    @staticmethod
    def _run(coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, _LOOP).result(10)

    def cut(self):
        self.is_cut = True
        self._run(self._break())

    def mend(self):
        self.is_cut = self.loses_answers = False
        self.answers_instead = None

    def end(self):
        self._server.close()
        self.cut()

    async def _break(self):
        for writer in list(self._writers):
            writer.transport.abort()

    async def _carry(self, reader, writer):
        self.connections += 1
        if self.is_cut:
            writer.transport.abort()
            return
        if self.answers_instead:
            self.requests.append((await reader.readline()).decode())
            writer.write(self.answers_instead)
            await writer.drain()
            writer.close()
            return
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.transport.abort()
            return
        self._writers |= {writer, far_writer}
        if self.is_cut:
            # It was cut while this connection was made.
            await self._break()
            return
        asked = []
        await asyncio.gather(self._pump(reader, far_writer, asked, True), self._pump(far_reader, writer, asked, False))
        self._writers -= {writer, far_writer}

    async def _pump(self, reader, writer, asked, is_request):
        try:
            while data := await reader.read(65536):
                if is_request:
                    line = data.split(b"\r\n", 1)[0]
                    if line.endswith(b"HTTP/1.1"):
                        self.requests.append(line.decode())
                        asked[:] = [line.decode()]
                elif self.loses_answers is True or self.loses_answers and any(line.startswith(self.loses_answers) for line in asked):
                    await self._break()
                    return
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()
