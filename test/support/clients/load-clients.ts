import type { LogFilter } from '../../../src/ethereum/log-filters.ts';
import { createCleanups } from '../cleanups.ts';
import type { SimChain } from '../simulator/chain.ts';
import type { LiveGraph } from '../subscriptions/live-graph.ts';
import { HeadReplayChecker, LogReplayChecker, ReorgReplayChecker, type ReplayChecker } from '../subscriptions/replay-checker.ts';
import type { ClientConnection } from './connections.ts';
import { ResumingSubscriber } from './resuming-subscriber.ts';

const LOG = 'cursor removed index blockHash blockNumber data topics transactionHash account { address }';
const LOGS = `subscription ($filter: LogSubscriptionFilter, $after: String) { logs(filter: $filter, after: $after) { ${LOG} } }`;
/** Repeated fields, so that a few hundred events exceed the network buffers. */
const LONG_LOGS = LOGS.replace('cursor', `cursor ${Array.from({ length: 150 }, (_none, i) => `t${i}: topics`).join(' ')}`);
/** With the filter as a literal. */
const logsQueryWithFilter = ({ addresses, topics }: LogFilter): string =>
  `subscription ($after: String) { logs(filter: { addresses: ${JSON.stringify(addresses)}, topics: ${JSON.stringify(topics)} }, after: $after) { ${LOG} } }`;
const SEARCH = 'query ($filter: FilterCriteria!) { logs(filter: $filter) { cursor } }';
const HEADS = 'subscription ($after: Bytes32) { newHeads(after: $after) { number hash parentHash } }';
const REORGS = 'subscription { reorgs { depth commonAncestor { hash } dropped { hash } added { hash } } }';

/** Maximum time for all clients to receive all events. */
const COMPLETION_TIMEOUT_MS = 60_000;

/** Close before the server stops. */
const cleanups = createCleanups();

/** The subscribers of a graph over a simulated chain, with connections that a test breaks. */
export class LoadClients {
  readonly subscribers: ResumingSubscriber[] = [];
  /** How many connections were broken, and how many during the backlog of a subscriber. */
  readonly kills = { all: 0, catchingUp: 0 };
  readonly #disconnected = new Map<ClientConnection, number>();
  readonly #graph: LiveGraph;
  readonly #chain: SimChain;

  constructor(graph: LiveGraph, chain: SimChain) {
    this.#graph = graph;
    this.#chain = chain;
    cleanups.push(() => this.close());
  }

  get connections(): readonly ClientConnection[] {
    return [...new Set(this.subscribers.map(({ connection }) => connection))];
  }

  /** Reads past logs with a query and subscribes after the last one. */
  async subscribeLogs(
    line: ClientConnection,
    filter: LogFilter,
    way: 'by variable' | 'in the document' | 'long' = 'by variable',
  ): Promise<ResumingSubscriber> {
    const { logs } = await this.#graph.execute(SEARCH, { filter: { ...filter, fromBlock: '0x0' } });
    const book = new LogReplayChecker(this.#chain, filter);
    if (logs.length !== book.size) throw new Error(`a query finds ${logs.length} logs where there are ${book.size}`);
    return this.#add(line, book, {
      ...(way === 'in the document'
        ? { query: logsQueryWithFilter(filter) }
        : { query: way === 'long' ? LONG_LOGS : LOGS, variables: { filter } }),
      after: logs.at(-1)!.cursor,
      cursorOf: ({ cursor }) => cursor,
    });
  }

  /** Subscribes to all new logs. */
  subscribeNewLogs(line: ClientConnection): ResumingSubscriber {
    return this.#add(line, new LogReplayChecker(this.#chain, {}), { query: LOGS, cursorOf: ({ cursor }) => cursor });
  }

  subscribeHeads(line: ClientConnection): ResumingSubscriber<HeadReplayChecker> {
    const after = this.#chain.head.hash;
    return this.#add(line, new HeadReplayChecker(this.#chain), { query: HEADS, after, cursorOf: ({ hash }) => hash });
  }

  subscribeReorgs(line: ClientConnection): ResumingSubscriber<ReorgReplayChecker> {
    return this.#add(line, new ReorgReplayChecker(this.#chain), { query: REORGS });
  }

  #add<Retained extends ReplayChecker>(
    line: ClientConnection,
    book: Retained,
    wanted: ConstructorParameters<typeof ResumingSubscriber>[2],
  ): ResumingSubscriber<Retained> {
    const listener = new ResumingSubscriber(line, book, wanted);
    this.subscribers.push(listener);
    line.onKill = () => {
      this.kills.all += 1;
      if (this.subscribers.some((one) => one.connection === line && one.isCatchingUp)) this.kills.catchingUp += 1;
    };
    return listener;
  }

  /** Breaks a connection and rejects new ones for this many rounds. */
  disconnect(line: ClientConnection, rounds: number): void {
    if (line.isDisconnected) return;
    this.#disconnected.set(line, rounds);
    line.disconnect();
  }

  /** Ends a round; returns the connections that are available again. */
  advanceRound(): readonly ClientConnection[] {
    for (const [line, rounds] of this.#disconnected) this.#disconnected.set(line, rounds - 1);
    const back = [...this.#disconnected].filter(([, rounds]) => rounds <= 0).map(([line]) => line);
    for (const line of back) {
      this.#disconnected.delete(line);
      line.reconnect();
    }
    return back;
  }

  /** Resolves when the server has started all subscriptions. */
  async waitUntilSubscribed(): Promise<void> {
    while ((await this.#graph.metric('subscriptions')) < this.subscribers.length) {
      for (const flaw of this.errors) throw flaw;
      await pause();
    }
  }

  get errors(): readonly Error[] {
    return this.subscribers.flatMap(({ error }) => error ?? []);
  }

  /** Resolves when all subscribers that `isIn` selects have the events of the chain; rejects at the first inconsistency. */
  async waitUntilComplete(isIn: (line: ClientConnection) => boolean = (line) => !line.isDisconnected): Promise<void> {
    const until = performance.now() + COMPLETION_TIMEOUT_MS;
    let missing = this.subscribers;
    for (;;) {
      for (const flaw of this.errors) throw flaw;
      missing = missing.filter(({ connection, checker }) => isIn(connection) && !checker.isComplete);
      if (missing.length === 0 && this.#graph.feed.logsHead?.hash === this.#chain.head.hash) return;
      if (performance.now() > until) throw new Error(this.#describeMissing(missing));
      await pause();
    }
  }

  /** Describes the subscribers that lack events, and the state of the follower and the feed. */
  #describeMissing(missing: readonly ResumingSubscriber[]): string {
    const { feed, follower, node } = this.#graph;
    const who = missing.map(({ connection, checker, isCatchingUp }) => {
      return `${connection.constructor.name} ${this.connections.indexOf(connection)} ${checker.constructor.name}${isCatchingUp ? ' catching up' : ''}`;
    });
    const { state, error } = follower.status;
    return (
      `of ${this.subscribers.length} these do not get what there is: ${who.join(', ')}; the head is ${this.#chain.head.height}, ` +
      `the follower (${state}, ${error?.message}) is at ${feed.head?.height}, logs at ${feed.logsHead?.height}; ${node.sockets.size} sockets of the node`
    );
  }

  /** Totals of received events and of resumptions by reason. */
  get totals(): { readonly events: number; readonly resumed: number; readonly slow: number } {
    const sum = (of: (listener: ResumingSubscriber) => number) => this.subscribers.reduce((total, one) => total + of(one), 0);
    return {
      events: sum(({ events }) => events),
      resumed: sum(({ interruptions }) => interruptions.broken ?? 0),
      slow: sum(({ interruptions }) => interruptions.SLOW_CONSUMER ?? 0),
    };
  }

  async close(): Promise<void> {
    for (const line of this.connections) line.close();
    await Promise.all(this.subscribers.map(({ done }) => done));
  }
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 1));
