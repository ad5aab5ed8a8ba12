import fastify from 'fastify';
import mercurius from 'mercurius';
import { printAddress } from '../http-helpers.ts';
import { typeDefs } from '../schema.ts';
import { createLoaders } from './loaders.ts';
import { resolvers } from './resolvers.ts';

// Mercurius on Fastify, with its just-in-time compiler.

const app = fastify({ keepAliveTimeout: 0 });
await app.register(mercurius, { schema: typeDefs, resolvers: resolvers as never, context: createLoaders as never, jit: 1 });
printAddress(Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port));
