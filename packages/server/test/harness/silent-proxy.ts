import net from 'node:net';
import path from 'node:path';
import { listenLocally } from './streams.ts';

export type SilentProxy = Awaited<ReturnType<typeof startSilentProxy>>;

/** A network fault without RST or FIN in front of a PostgreSQL, which is found by the folder of its Unix socket or by its port. */
export async function startSilentProxy(target: string | (() => number)) {
  const upstreams = new Set<net.Socket>();
  const established = new Set<{ isSilent: boolean }>();
  let isSilent = false;
  const server = net.createServer({ allowHalfOpen: true }, (client) => {
    client.on('error', () => undefined);
    if (isSilent) return void client.on('data', () => undefined);
    const at = typeof target === 'string' ? { path: path.join(target, '.s.PGSQL.5432') } : { port: target() };
    const upstream = net.connect({ host: '127.0.0.1', ...at, allowHalfOpen: true });
    upstreams.add(upstream.on('error', () => undefined).on('close', () => upstreams.delete(upstream)));
    const pair = { isSilent: false };
    established.add(pair);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on('data', (bytes) => pair.isSilent || to.write(bytes));
      from.on('close', () => {
        established.delete(pair);
        if (!pair.isSilent) to.destroy();
      });
      from.on('end', () => pair.isSilent || to.end());
    }
  });
  const listening = await listenLocally(server);
  const silenceEstablished = () => {
    for (const pair of established) pair.isSilent = true;
  };
  return {
    port: listening.port,
    /** The address of a database behind this proxy. */
    url: (database: string) => `postgresql://foreword@127.0.0.1:${listening.port}/${database}`,
    /** Established connections swallow everything from now on, in both directions, including their end. New ones work. */
    silenceEstablished,
    /** The same, and new connections are accepted and swallow everything, too. */
    silenceAll() {
      isSilent = true;
      silenceEstablished();
    },
    /** New connections work again. Silent ones stay silent. */
    restore() {
      isSilent = false;
    },
    async close() {
      for (const socket of upstreams) socket.destroy();
      await listening.close();
    },
  };
}
