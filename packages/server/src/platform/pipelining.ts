import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** How many requests of each connection wait for their turn. Connections that never pipelined are missing. */
type Waiting = WeakMap<Socket, { count: number }>;

function queueOf(waiting: Waiting, socket: Socket): { count: number } {
  const known = waiting.get(socket);
  if (known !== undefined) return known;
  const queue = { count: 0 };
  waiting.set(socket, queue);
  // Node resumes reading after each response.
  socket.on('resume', () => {
    if (queue.count > 0) socket.pause();
  });
  return queue;
}

/**
 * Handles the requests of each connection one after another, and reads no more of them while some are waiting. Node starts all
 * requests of a chunk at once, so one client that sends many without waiting for responses would delay everyone else's.
 */
export function handlePipelinedInTurn(server: Server): void {
  const [handle] = server.listeners('request') as Listener[];
  if (handle === undefined) throw new Error('the server has no request listener yet');
  const waiting: Waiting = new WeakMap();
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    // A response gets the socket once those before it were sent.
    if (response.socket !== null) return handle(request, response);
    const { socket } = request;
    const queue = queueOf(waiting, socket);
    queue.count += 1;
    socket.pause();
    response.once('socket', () => {
      // After a pass of the event loop, in which other connections are served.
      setImmediate(() => {
        queue.count -= 1;
        if (socket.destroyed) return;
        if (queue.count === 0) socket.resume();
        handle(request, response);
      });
    });
  });
}
