import Fastify from 'fastify';

/** The ceiling of the framework: answers a constant to GET. Arguments: port, the answer. Ends with its parent. */
const [port, answer = ''] = process.argv.slice(2);
const app = Fastify();
app.get('/page', (_request, reply) => {
  reply.type('text/html; charset=utf-8').send(answer);
});
process.on('disconnect', () => process.exit(0));
await app.listen({ port: Number(port), host: '127.0.0.1' });
process.send?.('ready');
