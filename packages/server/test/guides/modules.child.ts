import http from 'node:http';

interface Command {
  readonly file: string;
  readonly environment: Record<string, string>;
  /** Where the webhook receiver of the module listens. */
  readonly port: number;
}

type Receive = (request: Request) => Promise<Response>;

/** The server of a module with a `receiver`, or one around its `receive`. */
function receiverOf(module: { receiver?: unknown; receive?: unknown }): http.Server | undefined {
  if (module.receiver instanceof http.Server) return module.receiver;
  if (typeof module.receive !== 'function') return undefined;
  const receive = module.receive as Receive;
  return http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = 'POST' } = request;
    const headers = request.headers as Record<string, string>;
    try {
      const answer = await receive(new Request('http://receiver/', { method, headers, body: Buffer.concat(chunks) }));
      response.writeHead(answer.status).end();
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
}

/** Imports the modules of a page, one after another, so that later ones see the values of earlier ones. */
async function load({ file, environment, port }: Command): Promise<{ receives: boolean }> {
  Object.assign(process.env, environment);
  const receiver = receiverOf(await import(file));
  if (receiver !== undefined) await new Promise<void>((resolve) => receiver.listen(port, '127.0.0.1', resolve));
  return { receives: receiver !== undefined };
}

process.on('message', (command: Command) => {
  load(command).then(
    (result) => process.send?.(result),
    (error) => process.send?.({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
