import { afterEach } from '@jest/globals';
import type { LogFilter } from '../../../src/ethereum/log-filters.ts';
import type { SimChain } from '../simulator/chain.ts';
import { LineListener } from '../subscriptions/line-listener.ts';
import type { Line } from '../subscriptions/lines.ts';
import type { LiveGraph } from '../subscriptions/live-graph.ts';
import { type Book, HeadBook, LogBook, ReorgBook } from '../subscriptions/replay-checker.ts';

const LOG = 'cursor removed index blockHash blockNumber data topics transactionHash account { address }';
const LOGS = `subscription ($filter: LogSubscriptionFilter, $after: String) { logs(filter: $filter, after: $after) { ${LOG} } }`;
/** The same again and again, so that a few hundred events are more than the network holds. */
const LONG_LOGS = LOGS.replace('cursor', `cursor ${Array.from({ length: 150 }, (_none, i) => `t${i}: topics`).join(' ')}`);
/** With the filter in the document. */
const ownLogs = ({ addresses, topics }: LogFilter): string =>
  `subscription ($after: String) { logs(filter: { addresses: ${JSON.stringify(addresses)}, topics: ${JSON.stringify(topics)} }, after: $after) { ${LOG} } }`;
const SEARCH = 'query ($filter: FilterCriteria!) { logs(filter: $filter) { cursor } }';
const HEADS = 'subscription ($after: Bytes32) { newHeads(after: $after) { number hash parentHash } }';
const REORGS = 'subscription { reorgs { depth commonAncestor { hash } dropped { hash } added { hash } } }';

/** Longest wait for everybody to have everything. */
const PATIENCE_MS = 60_000;

const open = new Set<Crowd>();

// Before what they are connected to is gone.
afterEach(async () => {
  for (const crowd of open) await crowd.close();
});

/** Everybody who is subscribed to a graph of a simulated chain, over lines that a test breaks. */
export class Crowd {
  readonly listeners: LineListener[] = [];
  /** How often a line was broken, and how often while somebody on it was still being told what it had missed. */
  readonly kills = { all: 0, catchingUp: 0 };
  readonly #away = new Map<Line, number>();
  readonly #graph: LiveGraph;
  readonly #chain: SimChain;

  constructor(graph: LiveGraph, chain: SimChain) {
    this.#graph = graph;
    this.#chain = chain;
    open.add(this);
  }

  get lines(): readonly Line[] {
    return [...new Set(this.listeners.map(({ line }) => line))];
  }

  /** Reads the past by a query and goes on behind its last log. */
  async logs(
    line: Line,
    filter: LogFilter,
    way: 'by variable' | 'in the document' | 'long' = 'by variable',
  ): Promise<LineListener> {
    const { logs } = await this.#graph.ask(SEARCH, { filter: { ...filter, fromBlock: '0x0' } });
    const book = new LogBook(this.#chain, filter);
    if (logs.length !== book.size) throw new Error(`a query finds ${logs.length} logs where there are ${book.size}`);
    return this.#add(line, book, {
      ...(way === 'in the document'
        ? { query: ownLogs(filter) }
        : { query: way === 'long' ? LONG_LOGS : LOGS, variables: { filter } }),
      after: logs.at(-1).cursor,
      cursorOf: ({ cursor }) => cursor,
    });
  }

  /** All logs from now on. */
  logsFromNow(line: Line): LineListener {
    return this.#add(line, new LogBook(this.#chain, {}), { query: LOGS, cursorOf: ({ cursor }) => cursor });
  }

  heads(line: Line): LineListener<HeadBook> {
    const after = this.#chain.head.hash;
    return this.#add(line, new HeadBook(this.#chain), { query: HEADS, after, cursorOf: ({ hash }) => hash });
  }

  reorgs(line: Line): LineListener<ReorgBook> {
    return this.#add(line, new ReorgBook(this.#chain), { query: REORGS });
  }

  #add<Kept extends Book>(line: Line, book: Kept, wanted: ConstructorParameters<typeof LineListener>[2]): LineListener<Kept> {
    const listener = new LineListener(line, book, wanted);
    this.listeners.push(listener);
    line.onKill = () => {
      this.kills.all += 1;
      if (this.listeners.some((one) => one.line === line && one.isCatchingUp)) this.kills.catchingUp += 1;
    };
    return listener;
  }

  /** Breaks a line that nobody can connect by for so many rounds. */
  leave(line: Line, rounds: number): void {
    if (line.isAway) return;
    this.#away.set(line, rounds);
    line.leave();
  }

  /** Another round has gone by; gives the lines that are there again. */
  passRound(): readonly Line[] {
    for (const [line, rounds] of this.#away) this.#away.set(line, rounds - 1);
    const back = [...this.#away].filter(([, rounds]) => rounds <= 0).map(([line]) => line);
    for (const line of back) {
      this.#away.delete(line);
      line.comeBack();
    }
    return back;
  }

  /** Resolves when the server has begun to tell all of them. */
  async isThere(): Promise<void> {
    while ((await this.#graph.metric('subscriptions')) < this.listeners.length) {
      for (const flaw of this.flaws) throw flaw;
      await pause();
    }
  }

  get flaws(): readonly Error[] {
    return this.listeners.flatMap(({ flaw }) => flaw ?? []);
  }

  /** Resolves when the server has told, and everybody whom `isIn` takes in has, what the chain has; rejects at the first flaw. */
  async isComplete(isIn: (line: Line) => boolean = (line) => !line.isAway): Promise<void> {
    const until = performance.now() + PATIENCE_MS;
    let missing = this.listeners;
    for (;;) {
      for (const flaw of this.flaws) throw flaw;
      missing = missing.filter(({ line, book }) => isIn(line) && !book.isComplete);
      if (missing.length === 0 && this.#graph.feed.logsHead?.hash === this.#chain.head.hash) return;
      if (performance.now() > until) throw new Error(this.#lack(missing));
      await pause();
    }
  }

  /** Who lacks what there is, and where on the way it is. */
  #lack(missing: readonly LineListener[]): string {
    const { feed, follower, node } = this.#graph;
    const who = missing.map(({ line, book, isCatchingUp }) => {
      return `${line.constructor.name} ${this.lines.indexOf(line)} ${book.constructor.name}${isCatchingUp ? ' catching up' : ''}`;
    });
    const { state, error } = follower.status;
    return (
      `of ${this.listeners.length} these do not get what there is: ${who.join(', ')}; the head is ${this.#chain.head.height}, ` +
      `the follower (${state}, ${error?.message}) is at ${feed.head?.height}, logs at ${feed.logsHead?.height}; ${node.sockets.size} sockets of the node`
    );
  }

  /** Sums of what they were told, and why they had to begin anew. */
  get sums(): { readonly events: number; readonly resumed: number; readonly slow: number } {
    const sum = (of: (listener: LineListener) => number) => this.listeners.reduce((total, one) => total + of(one), 0);
    return {
      events: sum(({ events }) => events),
      resumed: sum(({ breaks }) => breaks.broken ?? 0),
      slow: sum(({ breaks }) => breaks.SLOW_CONSUMER ?? 0),
    };
  }

  async close(): Promise<void> {
    open.delete(this);
    for (const line of this.lines) line.close();
    await Promise.all(this.listeners.map(({ ended }) => ended));
  }
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 1));
