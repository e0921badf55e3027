import Fastify from 'fastify';

/** The framework's ceiling: a constant response to GET. Arguments: port, response. Exits with its parent. */
const [port, body = ''] = process.argv.slice(2);
const app = Fastify();
app.get('/page', (_request, reply) => {
  reply.type('text/html; charset=utf-8').send(body);
});
process.on('disconnect', () => process.exit(0));
await app.listen({ port: Number(port), host: '127.0.0.1' });
process.send?.('ready');
