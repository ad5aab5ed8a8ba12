import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { GraphError } from '../../errors.ts';
import { toData, toQuantity } from '../../ethereum/hex.ts';
import { SHUTTING_DOWN_MESSAGE } from '../../server/requests/http-errors.ts';
import type { Operation } from '../domain.ts';
import { CallMeter } from './cost/operation-cost.ts';

/** An operation that runs until it is said to have ended. */
export interface RunningOperation {
  readonly operation: Operation;
  /** It has its answer. */
  end(): void;
  /** Nobody waits for its answer any more. */
  cancel(): void;
}

/** What every operation of this server shares. */
export interface OperationRegistry {
  /**
   * Opens the operation of an HTTP request; it ends by itself with the answer, at the deadline, or when the client goes. Throws
   * BAD_USER_INPUT when the request names a block in a way that there is none.
   */
  beginRequest(request: FastifyRequest, reply: FastifyReply): Operation;
  /** Begins any other operation, read at `block` or else at the head. */
  begin(requestId: string, block?: string): RunningOperation;
  /** Ends all operations that still run; their answers say SHUTTING_DOWN. */
  abortAll(): void;
}

/** The header by which a request names the block that it wants to be answered from. */
export const BLOCK_HEADER = 'x-graph-block';

/** The header by which a request asks for `extensions.cost`: its value is 1. */
export const COST_HEADER = 'x-graph-cost';

/** Whether a request asks for its cost. */
export const isCostRequested = ({ headers }: { readonly headers: IncomingHttpHeaders }): boolean => headers[COST_HEADER] === '1';

/** The block that a request names, as a hash or a number in 0x-hex; undefined when the request names none. Throws BAD_USER_INPUT for anything else. */
export function requestedBlock({ headers }: FastifyRequest): string | undefined {
  const text = headers[BLOCK_HEADER];
  if (text === undefined || text === '') return undefined;
  const block = toData(text, 32) ?? toQuantity(text, 64);
  if (block !== undefined) return block;
  throw new GraphError('BAD_USER_INPUT', `${BLOCK_HEADER} takes the hash of a block, or its number in decimal or 0x-hex.`);
}

/** Keeps the running operations, each under one absolute deadline and one limit of upstream calls for everything that it does. */
export function createOperationRegistry(timeoutMs: number, maxCost: number): OperationRegistry {
  const running = new Set<AbortController>();

  const begin = (requestId: string, block?: string): RunningOperation => {
    const controller = new AbortController();
    running.add(controller);
    const deadline = setTimeout(() => {
      controller.abort(new GraphError('TIMEOUT', `The operation took longer than ${timeoutMs} ms.`, { limit: timeoutMs }));
    }, timeoutMs);
    const end = (): void => {
      clearTimeout(deadline);
      running.delete(controller);
    };
    return {
      operation: {
        requestId,
        signal: controller.signal,
        block,
        extensions: {},
        isVolatile: false,
        meter: new CallMeter(maxCost),
      },
      end,
      cancel() {
        end();
        controller.abort(clientDisconnectedError());
      },
    };
  };

  return {
    begin,
    beginRequest(request, reply) {
      const { operation, end, cancel } = begin(request.id, requestedBlock(request));
      const { raw: response } = reply;
      const { socket } = request.raw;
      const onClose = (): void => {
        socket.off('close', onClose);
        if (response.writableFinished) end();
        else cancel();
      };
      if (response.destroyed) cancel();
      else response.once('close', onClose);
      // An answer that waits for those before it on its connection is not told by Node when that is gone.
      if (!response.socket) socket.setMaxListeners(0).once('close', onClose);
      return operation;
    },
    abortAll() {
      const reason = new GraphError('SHUTTING_DOWN', SHUTTING_DOWN_MESSAGE);
      for (const controller of [...running]) controller.abort(reason);
    },
  };
}

/** Nobody reads it; it ends what the operation still waits for. */
const clientDisconnectedError = () => new GraphError('TIMEOUT', 'The client is gone.');
