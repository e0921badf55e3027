import Fastify from 'fastify';

/**
 * The framework's ceiling: parses the same body and sends a constant response of the service's size.
 * Arguments: port, response. Exits with its parent.
 */
const [port, body = ''] = process.argv.slice(2);
const app = Fastify();
app.post('/v1/touchpoint-events', (_request, reply) => {
  reply.code(202).type('application/json; charset=utf-8').send(body);
});
process.on('disconnect', () => process.exit(0));
await app.listen({ port: Number(port), host: '127.0.0.1' });
process.send?.('ready');
