import { once } from 'node:events';
import type net from 'node:net';
import type { Readable } from 'node:stream';

/** Collects what the streams of a child write; the function returns it so far. */
export function collectText(...streams: (Readable | null)[]): () => string {
  let written = '';
  for (const stream of streams) {
    stream?.on('data', (chunk) => {
      written += chunk;
    });
  }
  return () => written;
}

/** Listens on a free port. `close` also ends the connections. */
export async function listenLocally(server: net.Server, host = '127.0.0.1') {
  const sockets = new Set<net.Socket>();
  server.on('connection', (socket: net.Socket) => {
    sockets.add(socket.on('close', () => sockets.delete(socket)));
  });
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
