import Fastify from 'fastify';

// The most that Fastify can do on this machine: one route with a constant body; the argument is its size in bytes.
const body = Buffer.alloc(Number(process.argv[2]), 'x');
const app = Fastify();
app.get('/', (_request, reply) => reply.type('application/json').send(body));
const url = await app.listen({ port: Number(process.env['PORT']), host: '127.0.0.1' });
console.log(`the bare server is open at ${url}`);
