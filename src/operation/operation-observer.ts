import type { OperationDefinitionNode } from 'graphql';
import type { Operation, OperationOrigin } from './operation.ts';

/** An operation that an observer watches, before its execution. */
export interface ObservedOperation {
  readonly requestId: string;
  /** Undefined for an event of a subscription. */
  readonly origin: OperationOrigin | undefined;
  /** The operation as the client wrote it; undefined for a request that is rejected before its operation is known. */
  readonly definition: Pick<OperationDefinitionNode, 'name' | 'operation'> | undefined;
  /** By `performance.now()`. */
  readonly startedAt: number;
  /** The execution with its budget; undefined for a request that is rejected before its execution. */
  readonly operation: Operation | undefined;
}

/** The result of an operation: a response, the start of a subscription, one event of a subscription, or a rejection. */
export interface OperationRecord {
  /** The object that `start` received, if the operation was executed. */
  readonly observed: ObservedOperation;
  readonly durationMs: number;
  /** Codes of the errors of the response. */
  readonly codes: readonly string[];
  /** Size of the data of the response; 0 without data. */
  readonly responseBytes: number;
}

/** Watches operations of all transports, for metrics, the access log and traces. */
export interface OperationObserver {
  /** Called before an operation or an event executes. Its upstream requests continue the trace `operation.budget.trace`. */
  start?(operation: ObservedOperation): void;
  /** Called once for each operation and each event, with its result. */
  end(record: OperationRecord): void;
}
