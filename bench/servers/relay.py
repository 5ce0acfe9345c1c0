"""A way to a server that takes time: `python relay.py PORT HOST:PORT MILLISECONDS`.

What comes from a client is passed on after a delay, what comes back at once. It needs the standard
library alone, so that it runs in any pod with Python.
"""

import asyncio
import sys
from asyncio import StreamReader, StreamWriter
from contextlib import suppress
from functools import partial

_CHUNK = 1 << 16


async def _pass_on(reader: StreamReader, writer: StreamWriter, seconds: float) -> None:
    with suppress(ConnectionError):
        while chunk := await reader.read(_CHUNK):
            if seconds:
                await asyncio.sleep(seconds)
            writer.write(chunk)
            await writer.drain()
    writer.close()


async def _connect(
    host: str, port: int, seconds: float, reader: StreamReader, writer: StreamWriter
) -> None:
    try:
        back, forth = await asyncio.open_connection(host, port)
    except OSError:
        writer.close()
        return
    await asyncio.gather(_pass_on(reader, forth, seconds), _pass_on(back, writer, 0.0))


async def serve(port: int, server: str, milliseconds: float) -> None:
    """Pass connections to `port` on to a server, until the process ends."""
    host, _, number = server.rpartition(":")
    connect = partial(_connect, host, int(number), milliseconds / 1000)
    async with await asyncio.start_server(connect, "0.0.0.0", port) as listener:
        await listener.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), sys.argv[2], float(sys.argv[3])))
