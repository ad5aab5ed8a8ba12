import type { FastifyReply, FastifyRequest } from 'fastify';
import { GraphError } from '../errors.ts';
import { toData, toQuantity } from '../evm/hex.ts';
import type { Operation } from '../graphql/domain.ts';

/** What every operation of this server shares. */
export interface Operations {
  /**
   * Opens an operation; it ends by itself with the answer, at the deadline, or when the client goes. Throws BAD_USER_INPUT when the
   * request names a block in a way that there is none.
   */
  open(request: FastifyRequest, reply: FastifyReply): Operation;
  /** Ends all operations that still run; their answers say SHUTTING_DOWN. */
  abort(): void;
}

/** The header by which a request names the block that it wants to be answered from. */
export const BLOCK_HEADER = 'x-graph-block';

/** That block, as a hash or a number in 0x-hex; undefined when the request names none. Throws BAD_USER_INPUT for anything else. */
function blockNamed({ headers }: FastifyRequest): string | undefined {
  const text = headers[BLOCK_HEADER];
  if (text === undefined || text === '') return undefined;
  const block = toData(text, 32) ?? toQuantity(text, 64);
  if (block !== undefined) return block;
  throw new GraphError('BAD_USER_INPUT', `${BLOCK_HEADER} takes the hash of a block, or its number in decimal or 0x-hex.`);
}

/** Keeps the running operations, each under one absolute deadline for everything that it does. */
export function operations(timeoutMs: number): Operations {
  const running = new Set<AbortController>();
  return {
    open(request, reply) {
      const controller = new AbortController();
      const { signal } = controller;
      const operation: Operation = {
        requestId: request.id,
        signal,
        block: blockNamed(request),
        extensions: {},
        isVolatile: false,
      };
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
      for (const controller of [...running]) controller.abort(reason);
    },
  };
}

/** Nobody reads it; it ends what the operation still waits for. */
const gone = () => new GraphError('TIMEOUT', 'The client is gone.');
