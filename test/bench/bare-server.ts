import Fastify from 'fastify';

// What Fastify can do at most here: one route, a constant body of as many bytes as the argument says.
const body = Buffer.alloc(Number(process.argv[2]), 'x');
const app = Fastify();
app.get('/', (_request, reply) => reply.type('application/json').send(body));
const url = await app.listen({ port: Number(process.env['PORT']), host: '127.0.0.1' });
console.log(`the bare server is open at ${url}`);
