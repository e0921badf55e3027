import http from 'node:http';
import { listenLocally } from '../harness/streams.ts';

/** How the proxy treats one request. */
export type Fate =
  | 'passes'
  | 'is reset' // before it reaches the store
  | 'is lost' // the store handles it, but its response never arrives
  | 'is refused' // 503, as from an overloaded store
  | 'is refused in part' // 200, but one of several keys could not be deleted
  | 'breaks off' // in the middle of the response, with a reset
  | 'ends early' // the connection is closed in the middle of the response
  | 'stalls'; // no response at all

const OVERLOADED = '<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>';

const ONE_KEY_LEFT = '<DeleteResult><Error><Key>a</Key><Code>UnknownError</Code><Message/></Error></DeleteResult>';

export type FaultyProxy = Awaited<ReturnType<typeof startFaultyProxy>>;

/** A proxy in front of a real store that disturbs requests as `fate` decides. The host header stays as signed. */
export async function startFaultyProxy(store: string, fate: (request: string, number: number) => Fate) {
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
    const onward = http.request({ agent: false, hostname, port, method, path, headers }, (upstream) => {
      if (decided === 'is lost') return void upstream.resume().on('end', () => request.socket.resetAndDestroy());
      response.writeHead(upstream.statusCode ?? 500, upstream.headers);
      if (decided === 'passes') return void upstream.pipe(response);
      upstream.once('data', (piece) =>
        response.write(piece.subarray(0, 1_000), () =>
          decided === 'ends early' ? request.socket.destroy() : request.socket.resetAndDestroy(),
        ),
      );
    });
    // The client disconnected early, as some tests do.
    onward.on('error', () => request.socket.destroy());
    request.pipe(onward);
  });
  const { url, close } = await listenLocally(server);
  return {
    host: new URL(url).host,
    /** Received requests, as "PUT /bucket/key?query". */
    requests,
    /** Closes all connections, and keeps listening. */
    cut: () => server.closeAllConnections(),
    close,
  };
}
