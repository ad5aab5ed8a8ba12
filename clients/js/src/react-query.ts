import { type QueryFunctionContext, queryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { follow, type ResumeOptions } from './follow.ts';
import { type SubscriptionClient, SubscriptionError } from './results.ts';
import type { Hex, ScalarInputs } from './scalars.ts';
import type { LogFilterInput } from './sync.ts';

interface LiveOptions extends ResumeOptions {
  readonly client: SubscriptionClient;
  /** Distinguishes servers in one query cache. */
  readonly scope?: string | undefined;
  /** Id of the chain. The default chain of the server if omitted. */
  readonly chain?: ScalarInputs['ChainId'] | undefined;
  /** Whether to subscribe. True by default. */
  readonly enabled?: boolean | undefined;
}

export interface HeadOptions extends LiveOptions {
  /** Fields of `BlockHeader`. `number timestamp` by default; `hash` is always selected. */
  readonly fields?: string | undefined;
}

export interface LogsOptions extends LiveOptions {
  readonly filter?: LogFilterInput | undefined;
  /** Fields of `Log`. `account { address } topics data blockNumber transactionHash` by default; `id` is always selected. */
  readonly fields?: string | undefined;
  /** Height of the first block. By default the next block. */
  readonly fromBlock?: number | string | undefined;
  /** Maximum number of logs in the cache, the newest ones. @default 1000 */
  readonly limit?: number | undefined;
}

export interface TransactionOptions extends LiveOptions {
  readonly hash: Hex;
  /** Number of confirmations after which the status is CONFIRMED and the subscription ends. @default 1 */
  readonly confirmations?: number | undefined;
  /** Fields of `TransactionStatusUpdate`. `confirmations succeeded replacedBy` by default; `status` is always selected. */
  readonly fields?: string | undefined;
}

/** The default fields of each hook. */
export interface LiveHead {
  readonly hash: Hex;
  readonly number: Hex;
  readonly timestamp: Hex;
}
export interface LiveLog {
  readonly id: string;
  readonly account: { readonly address: Hex };
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly blockNumber: Hex;
  readonly transactionHash: Hex;
}
export interface LiveTransaction {
  readonly status: 'UNKNOWN' | 'PENDING' | 'MINED' | 'CONFIRMED' | 'REPLACED' | 'DROPPED';
  readonly confirmations: Hex | null;
  readonly succeeded: boolean | null;
  readonly replacedBy: Hex | null;
}

/** What the query cache has of a subscription. */
export interface LiveState<Value> {
  readonly value: Value;
  /** Cursor after which the subscription resumes. */
  readonly cursor: string | undefined;
  /** Whether the server has sent the last event. */
  readonly hasEnded: boolean;
}

interface LiveQuery<Event, Value> {
  readonly options: LiveOptions;
  readonly key: readonly unknown[];
  readonly query: string;
  readonly variables: Record<string, unknown>;
  readonly next: (event: Event, value: Value | undefined) => { readonly value: Value; readonly cursor?: string };
}

/**
 * Creates a query that runs as long as its subscription: components with the same key share one subscription, and it ends when the last of them is
 * unmounted. While its data is in the cache, a component that is mounted again resumes after the cursor of the data.
 */
const liveQuery = <Event, Value>({ options, key, query, variables, next }: LiveQuery<Event, Value>) => {
  const { client, scope, chain, enabled = true, backoff, maxAttempts, onInterruption, shouldResume } = options;
  const receive = async ({ client: cache, queryKey, signal }: QueryFunctionContext): Promise<LiveState<Value>> => {
    let state = cache.getQueryData<LiveState<Value>>(queryKey);
    for (;;) {
      try {
        const after = state?.cursor;
        const events = follow<Record<string, Event>, Record<string, unknown>>(client, {
          ...{ query, variables, chain, after, signal, backoff, maxAttempts, onInterruption, shouldResume },
        });
        for await (const data of events) {
          if (signal.aborted) break;
          state = { cursor: undefined, hasEnded: false, ...next(Object.values(data)[0]!, state?.value) };
          cache.setQueryData(queryKey, state);
        }
        // The result of an aborted query is ignored.
        if (!state && !signal.aborted) throw new Error('The subscription has ended without an event.');
        return { ...state!, hasEnded: true };
      } catch (error) {
        if (!(error instanceof SubscriptionError) || error.code !== 'CURSOR_EXPIRED' || state?.cursor === undefined) throw error;
        // The missed events cannot be read again: start over.
        state = undefined;
      }
    }
  };
  return queryOptions({
    queryKey: ['grimoire', ...(scope === undefined ? [] : [scope]), ...(chain === undefined ? [] : [{ chain }]), ...key],
    queryFn: receive,
    select: ({ value }: LiveState<Value>) => value,
    enabled,
    // A component that is mounted resumes the subscription, unless it has ended.
    staleTime: ({ state }) => (state.data?.hasEnded ? Number.POSITIVE_INFINITY : 0),
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    // The subscription itself resumes after lost connections.
    retry: false,
    networkMode: 'always',
  });
};

/** Query of `useHead`, for `useSuspenseQuery`, a `QueryObserver` and the key. */
export const headQuery = <Head = LiveHead>(options: HeadOptions) => {
  const { fields = 'number timestamp' } = options;
  return liveQuery<Head & { readonly hash: string }, Head>({
    options,
    key: ['head', fields],
    query: `subscription Head($after: Bytes32, $chainId: ChainId) { newHeads(after: $after, chainId: $chainId) { hash ${fields} } }`,
    variables: {},
    next: (head) => ({ value: head, cursor: head.hash }),
  });
};

/** Query of `useLogs`. */
export const logsQuery = <Log = LiveLog>(options: LogsOptions) => {
  const { filter, fromBlock, limit = 1000, fields = 'account { address } topics data blockNumber transactionHash' } = options;
  return liveQuery<LogsEvent<Log>, readonly (Log & LogIdentity)[]>({
    options,
    key: ['logs', { filter, fromBlock, limit, fields }],
    query: `subscription Logs($fromBlock: Long, $after: String, $filter: LogSubscriptionFilter, $chainId: ChainId) {
  logPages(fromBlock: $fromBlock, after: $after, filter: $filter, chainId: $chainId) { cursor nodes { id removed ${fields} } }
}`,
    variables: { ...(fromBlock !== undefined && { fromBlock }), ...(filter && { filter }) },
    next: ({ nodes, cursor }, logs = []) => ({ value: logsAfter(logs, nodes, limit), cursor }),
  });
};

interface LogsEvent<Log> {
  readonly cursor: string;
  readonly nodes: readonly (Log & LogIdentity)[];
}

interface LogIdentity {
  readonly id: string;
  readonly removed: boolean;
}

/** Returns the logs after a page: without the removed ones, and the newest ones up to the limit. */
export function logsAfter<Log extends LogIdentity>(logs: readonly Log[], nodes: readonly Log[], limit: number): readonly Log[] {
  if (nodes.length === 0) return logs;
  if (!nodes[0]!.removed) return limit > 0 ? [...logs, ...nodes].slice(-limit) : [];
  const removed = new Set(nodes.map(({ id }) => id));
  return logs.filter(({ id }) => !removed.has(id));
}

/** Query of `useTransaction`. */
export const transactionQuery = <Transaction = LiveTransaction>(options: TransactionOptions) => {
  const { hash, confirmations = 1, fields = 'confirmations succeeded replacedBy' } = options;
  return liveQuery<Transaction, Transaction>({
    options,
    key: ['transaction', hash, { confirmations, fields }],
    query: `subscription Transaction($hash: Bytes32!, $confirmations: Int, $chainId: ChainId) {
  transactionStatus(hash: $hash, confirmations: $confirmations, chainId: $chainId) { status ${fields} }
}`,
    variables: { hash, confirmations },
    next: (value) => ({ value }),
  });
};

/** Returns the newest block. Pending until the next block. */
export const useHead = <Head = LiveHead>(options: HeadOptions): UseQueryResult<Head> => useQuery(headQuery<Head>(options));

/** Returns the logs of the canonical chain since `fromBlock`, in ascending order, without those that a reorg has removed. */
export const useLogs = <Log = LiveLog>(options: LogsOptions): UseQueryResult<readonly Log[]> => useQuery(logsQuery<Log>(options));

/** Returns the status of a transaction, until it is final. */
export const useTransaction = <Transaction = LiveTransaction>(options: TransactionOptions): UseQueryResult<Transaction> =>
  useQuery(transactionQuery<Transaction>(options));
