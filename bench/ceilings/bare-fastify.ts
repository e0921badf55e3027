import Fastify from 'fastify';

/**
 * The ceiling of the framework: parses the same body and answers a constant of the size that the service answers.
 * Arguments: port, the answer. Ends with its parent.
 */
const [port, answer = ''] = process.argv.slice(2);
const app = Fastify();
app.post('/v1/touchpoint-events', (_request, reply) => {
  reply.code(202).type('application/json; charset=utf-8').send(answer);
});
process.on('disconnect', () => process.exit(0));
await app.listen({ port: Number(port), host: '127.0.0.1' });
process.send?.('ready');
