import type { FastifyInstance } from 'fastify';
import type { DomainRoute } from '../operation/domain-route.ts';
import { NO_STORE, sendError } from './requests/http-errors.ts';

/** Serves the HTTP routes of the domains. Their bodies arrive as raw bytes for every content type. */
export async function registerDomainRoutes(app: FastifyInstance, routes: readonly DomainRoute[]): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    for (const { method, path, maxBodyBytes, handle } of routes) {
      scope.route({
        method,
        url: path,
        bodyLimit: maxBodyBytes,
        async handler(request, reply) {
          const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
          const response = await handle(body, request.headers, () => request.raw.socket.writable);
          if ('body' in response) return reply.header('cache-control', NO_STORE).send(response.body);
          const { status, code, message, retryAfterMs } = response;
          return sendError(reply, [status, code, message], retryAfterMs === undefined ? {} : { retryAfterMs });
        },
      });
      scope.route({
        // The CORS plugin responds to a preflight.
        method: scope.supportedMethods.filter((other) => other !== method && other !== 'OPTIONS'),
        url: path,
        handler: async (_request, reply) =>
          sendError(reply.header('allow', method), [405, 'BAD_REQUEST', `The method is not allowed. Use ${method}.`]),
      });
    }
  });
}
