import { createServer } from 'node:http';

/** An HTTP carrier that accepts every text, and sends no reports. Exits with its parent. */
const [port] = process.argv.slice(2);
let texts = 0;
const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    response.writeHead(request.method === 'POST' ? 202 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ id: `text-${++texts}` }));
  });
});
server.listen(Number(port), '127.0.0.1', () => process.send?.('ready'));
process.on('disconnect', () => process.exit(0));
