import type { ExecutionResult } from 'graphql';
import { type SummaryPart, summaryOf } from './event-summary.ts';

/** What an operation has cost: `extensions.cost`. */
export interface OperationCost {
  readonly estimate: number;
  readonly actual: number;
  /** Requests to the upstreams. */
  readonly requests: number;
  /** Calls in those requests. */
  readonly calls: number;
  readonly computeUnits: number;
}

/** `extensions` of a response, or of an event of a subscription. */
interface ResultExtensions {
  readonly cost?: OperationCost;
  readonly block?: { readonly number: string };
}

/** An event of a subscription. */
export interface ReceivedEvent {
  /** Position among the events of the subscription, from 1. */
  readonly position: number;
  readonly receivedAt: Date;
  readonly result: ExecutionResult;
  readonly summary: readonly SummaryPart[];
  /** What an interruption before it means for the events in between; null without one. */
  readonly gap: Gap | null;
}

/**
 * `none`: the subscription was resumed after its last event. `possible`: events in between may be missing or repeated. `certain`: the server
 * cannot resume after the last event.
 */
export type Gap = 'none' | 'possible' | 'certain';

/** A subscription without a connection, until its next event. */
export interface RunInterruption {
  /** A sentence. */
  readonly reason: string;
  /** Failed attempts since the last event. */
  readonly attempt: number;
  /** Null if the subscription has had no connection. */
  readonly gap: Gap | null;
  /** Whether the connection is there again. */
  readonly isConnected: boolean;
}

/** An execution of an operation in a tab. */
export interface OperationRun {
  readonly isSubscription: boolean;
  readonly isRunning: boolean;
  /** Time from the request to the whole response in milliseconds; null while it is running, and of a subscription. */
  readonly durationMs: number | null;
  /** Height of the block of the last response, or its hash in drop-in mode. Null where the server does not report it. */
  readonly block: number | string | null;
  /** The sum over all events of a subscription. Null where the server does not report it. */
  readonly cost: OperationCost | null;
  /** The last events of a subscription, newest first. */
  readonly events: readonly ReceivedEvent[];
  /** Number of all its events. */
  readonly eventCount: number;
  /** Null while a subscription has a connection. */
  readonly interruption: RunInterruption | null;
  /** A sentence that states why the operation has no response; null if it has one. */
  readonly failure: string | null;
}

/** Maximum number of events of a subscription that are shown. */
export const MAX_SHOWN_EVENTS = 200;

export const startedRun = (isSubscription: boolean): OperationRun => ({
  isSubscription,
  isRunning: true,
  durationMs: null,
  block: null,
  cost: null,
  events: [],
  eventCount: 0,
  interruption: null,
  failure: null,
});

/** A run after another response; `blockHash` is that of its headers. */
export function withResult(run: OperationRun, result: ExecutionResult, blockHash: string | null = null): OperationRun {
  const { cost, block } = (result.extensions ?? {}) as ResultExtensions;
  const received = {
    ...run,
    block: block ? Number(block.number) : (blockHash ?? run.block),
    cost: cost ? addCosts(run.cost, cost) : run.cost,
  };
  if (!run.isSubscription) return received;
  const event: ReceivedEvent = {
    position: run.eventCount + 1,
    receivedAt: new Date(),
    result,
    summary: summaryOf(result, run.events[0]?.result),
    gap: gapBefore(result, run.interruption),
  };
  const events = [event, ...run.events].slice(0, MAX_SHOWN_EVENTS);
  return { ...received, events, eventCount: event.position, interruption: null };
}

function gapBefore({ data, errors }: ExecutionResult, interruption: RunInterruption | null): Gap | null {
  if (errors?.some(({ extensions }) => extensions?.code === 'CURSOR_EXPIRED')) return 'certain';
  const gap = interruption?.gap ?? null;
  return gap === 'none' && !data ? null : gap;
}

const addCosts = (sum: OperationCost | null, cost: OperationCost): OperationCost =>
  sum
    ? {
        estimate: sum.estimate + cost.estimate,
        actual: sum.actual + cost.actual,
        requests: sum.requests + cost.requests,
        calls: sum.calls + cost.calls,
        computeUnits: sum.computeUnits + cost.computeUnits,
      }
    : cost;
