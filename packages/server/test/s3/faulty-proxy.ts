import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** What happens to one request on its way. */
export type Fate =
  | 'passes'
  | 'is reset' // before the store hears of it
  | 'is lost' // the store does it, its answer never arrives
  | 'is refused' // 503, as from a store that is overloaded
  | 'is refused in part' // 200, and one of several keys could not be deleted
  | 'breaks off' // in the middle of the answer
  | 'stalls'; // no answer at all

export interface FaultyProxy {
  readonly host: string;
  /** What came, as "PUT /bucket/key?query". */
  readonly requests: string[];
  /** Ends all that is under way, and goes on listening. */
  cut(): void;
  close(): Promise<void>;
}

const OVERLOADED = '<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>';

const ONE_KEY_LEFT = '<DeleteResult><Error><Key>a</Key><Code>UnknownError</Code><Message/></Error></DeleteResult>';

/** Stands before a real store and spoils the requests that `fate` names. The host stays as signed. */
export async function startFaultyProxy(
  store: string,
  fate: (request: string, number: number) => Fate,
): Promise<FaultyProxy> {
  const requests: string[] = [];
  const [hostname, port] = store.split(':');
  const server = http.createServer((request, response) => {
    const name = `${request.method} ${request.url}`;
    const decided = fate(name, requests.push(name));
    if (decided === 'stalls') return;
    if (decided === 'is reset') return void request.socket.resetAndDestroy();
    if (decided === 'is refused') return void request.resume().on('end', () => response.writeHead(503).end(OVERLOADED));
    if (decided === 'is refused in part') return void request.resume().on('end', () => response.end(ONE_KEY_LEFT));
    const { method, url: path, headers } = request;
    const onward = http.request({ agent: false, hostname, port, method, path, headers }, (answer) => {
      if (decided === 'is lost') return void answer.resume().on('end', () => request.socket.resetAndDestroy());
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      if (decided === 'passes') return void answer.pipe(response);
      answer.once('data', (piece) => response.write(piece.subarray(0, 1_000), () => request.socket.resetAndDestroy()));
    });
    // A client that leaves early; its own test says what that means.
    onward.on('error', () => request.socket.destroy());
    request.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    cut: () => server.closeAllConnections(),
    async close() {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}
