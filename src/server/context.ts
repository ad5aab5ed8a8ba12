import type { FastifyReply, FastifyRequest } from 'fastify';
import { GraphError } from '../errors.ts';
import type { Operation } from '../graphql/domain.ts';

/** What every operation of this server shares. */
export interface Operations {
  /** Opens an operation; it ends by itself with the answer, at the deadline, or when the client goes. */
  open(request: FastifyRequest, reply: FastifyReply): Operation;
  /** Ends all operations that still run; their answers say SHUTTING_DOWN. */
  abort(): void;
}

/** Keeps the running operations, each under one absolute deadline for everything that it does. */
export function operations(timeoutMs: number): Operations {
  const running = new Set<AbortController>();
  return {
    open(request, reply) {
      const controller = new AbortController();
      const operation = { requestId: request.id, signal: controller.signal };
      if (reply.raw.destroyed) {
        controller.abort(gone());
        return operation;
      }
      running.add(controller);
      const deadline = setTimeout(() => {
        controller.abort(new GraphError('TIMEOUT', `The operation took longer than ${timeoutMs} ms.`, { limit: timeoutMs }));
      }, timeoutMs);
      reply.raw.once('close', () => {
        clearTimeout(deadline);
        running.delete(controller);
        if (!reply.raw.writableFinished) controller.abort(gone());
      });
      return operation;
    },
    abort() {
      const reason = new GraphError('SHUTTING_DOWN', 'The server is shutting down; ask again in a moment.');
      for (const controller of running) controller.abort(reason);
    },
  };
}

/** Nobody reads it; it ends what the operation still waits for. */
const gone = () => new GraphError('TIMEOUT', 'The client is gone.');
