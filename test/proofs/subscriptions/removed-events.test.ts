import { expect, test } from '@jest/globals';
// @ts-expect-error: the examples are plain JavaScript.
import { follow } from '../../../examples/follow.mjs';
import { decodeLogCursor } from '../../../src/domains/chain/log/cursor.ts';
import { type ClientConnection, WebSocketConnection } from '../../support/clients/connections.ts';
import { random, readSeed, runSize } from '../../support/random-tests.ts';
import { SimChain } from '../../support/simulator/chain.ts';
import { DIALECTS } from '../../support/simulator/rpc-simulator.ts';
import { SimTransactions } from '../../support/simulator/transactions.ts';
import type { SimBlock, SimLog } from '../../support/simulator/view.ts';
import {
  type EventSelection,
  HEADER_SELECTIONS,
  isSelectionComplete,
  LOG_SELECTIONS,
  randomSelections,
  selectionMismatches,
} from '../../support/subscriptions/event-selections.ts';
import { type LiveGraph, startLiveGraph } from '../../support/subscriptions/live-graph.ts';
import {
  HeadReplayChecker,
  LogReplayChecker,
  ReorgReplayChecker,
  type ReplayChecker,
} from '../../support/subscriptions/replay-checker.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** Random selections below the events of added and removed blocks, over a node that prunes removed blocks, through the example client. */
const SEED = readSeed();

const MOVES = runSize(5, 400);
const LOG = 'cursor removed index blockHash blockNumber data topics transactionHash account { address }';

interface FailedEvent {
  readonly errors: readonly { readonly message: string; readonly extensions: { readonly code: string } }[];
  readonly cursor?: string;
  readonly removed?: boolean;
}

/** Errors of a busy machine. */
const TIMEOUT_CODES: ReadonlySet<string> = new Set(['UPSTREAM_TIMEOUT', 'UPSTREAM_CIRCUIT_OPEN']);
const isSlow = (errors: FailedEvent['errors']): boolean => errors.some(({ extensions }) => TIMEOUT_CODES.has(extensions.code));

interface SubscriptionOptions {
  readonly query: string;
  readonly after?: string | undefined;
  readonly cursorOf?: (event: any) => string | undefined;
  /** `isSlow`: a request of the event has timed out, so a part of the event may be null. */
  readonly onEvent: (event: any, isSlow: boolean) => void;
  readonly onFailedEvent: (failed: FailedEvent) => void;
}

/** The followed subscriptions of one run, and their errors. */
class RemovedEventsRun {
  readonly failures: string[] = [];
  readonly checkers: ReplayChecker[] = [];
  readonly counts = { logs: 0, removed: 0, heads: 0, reorgs: 0, failed: 0, breaks: 0 };
  readonly abandoned = new Set<SimBlock>();
  readonly chain: SimChain;
  readonly transactions: SimTransactions;
  readonly #graph: LiveGraph;
  readonly #runs: Promise<void>[] = [];
  /** Received logs with their complete parts, by selection. The event of a removal has the same parts. */
  readonly #received = new Map<string, Map<SimLog, Set<EventSelection<any>>>>();

  constructor(graph: LiveGraph, chain: SimChain, transactions: SimTransactions) {
    this.#graph = graph;
    this.chain = chain;
    this.transactions = transactions;
    chain.main.onChange(({ removed }) => {
      for (const block of removed) this.abandoned.add(block);
    });
  }

  #follow(connection: ClientConnection, { onEvent, cursorOf = () => undefined, ...wanted }: SubscriptionOptions): void {
    const run = async () => {
      const onBreak = () => void this.counts.breaks++;
      const options = { ...wanted, cursorOf: (data: object) => cursorOf(Object.values(data)[0]), onBreak, pauseMs: 1 };
      let errors: FailedEvent['errors'] = [];
      const iterate = async function* (request: Parameters<ClientConnection['iterate']>[0]) {
        for await (const answer of connection.iterate(request)) {
          errors = (answer.errors ?? []) as FailedEvent['errors'];
          yield answer;
        }
      };
      for await (const data of follow({ iterate }, options)) {
        const before = this.failures.length;
        onEvent(Object.values(data)[0], isSlow(errors));
        if (this.failures.length > before) this.failures.push(JSON.stringify(errors));
      }
      if (!connection.isClosed) throw new Error('The subscription ended, and its client is connected.');
    };
    this.#runs.push(
      run().catch((error) => void this.failures.push(error instanceof Error ? String(error.stack) : JSON.stringify(error))),
    );
  }

  async logs(connection: ClientConnection, parts: readonly EventSelection<any>[]): Promise<void> {
    const text = parts.map((part) => part.text).join(' ');
    const received = this.#received.get(text) ?? new Map<SimLog, Set<EventSelection<any>>>();
    this.#received.set(text, received);
    const { logs } = await this.#graph.execute('{ logs(filter: { fromBlock: "0x0" }) { cursor } }', {});
    const checker = new LogReplayChecker(this.chain, {});
    this.checkers.push(checker);
    const isStateful = parts.some(({ readsState }) => readsState);
    const logOf = (hash: string, index: number) => this.chain.block(hash)!.logs[index]!;
    this.#follow(connection, {
      query: `subscription ($after: String) { logs(after: $after) { ${LOG} ${text} } }`,
      after: logs.at(-1).cursor,
      cursorOf: ({ cursor }) => cursor,
      onEvent: (event, isSlow) => {
        checker.apply(event);
        const { blockHash, index, removed, transactionHash: hash } = event;
        const block = this.chain.block(blockHash)!;
        const log = logOf(blockHash, Number(index));
        const before = received.get(log) ?? new Set();
        const isNullAllowed = (part: EventSelection<any>) => isSlow || (removed ? !before.has(part) : this.abandoned.has(block));
        const found = selectionMismatches(event, parts, { block, hash, removed }, this.transactions, isNullAllowed);
        this.failures.push(...found.map((what) => `log ${removed ? 'removed' : 'added'} ${block.height}: ${what}`));
        if (!removed) for (const part of parts) if (isSelectionComplete(event, part)) before.add(part);
        if (!removed) received.set(log, before);
        this.counts[removed ? 'removed' : 'logs'] += 1;
      },
      onFailedEvent: ({ cursor, removed, errors }) => {
        this.counts.failed += 1;
        if (cursor === undefined) {
          this.failures.push(`a failed log event without a cursor: ${JSON.stringify(errors)}`);
          return;
        }
        const place = decodeLogCursor(cursor);
        const log = logOf(place.hash, place.index);
        if (place.removed !== removed) this.failures.push(`removed is ${removed}, and the cursor has another value`);
        if (removed && received.has(log) && !isStateful && !isSlow(errors))
          this.failures.push(`a removal fails although the log was read: ${text} ${JSON.stringify(errors)}`);
        checker.apply({ ...log, index: log.logIndex, account: { address: log.address }, removed });
      },
    });
  }

  heads(connection: ClientConnection, parts: readonly EventSelection<SimBlock>[]): void {
    const checker = new HeadReplayChecker(this.chain);
    this.checkers.push(checker);
    this.#follow(connection, {
      query: `subscription ($after: Bytes32) { newHeads(after: $after) { number hash parentHash ${parts.map(({ text }) => text).join(' ')} } }`,
      after: this.chain.head.hash,
      cursorOf: ({ hash }) => hash,
      onEvent: (event, isSlow) => {
        checker.apply(event);
        const block = this.chain.block(event.hash)!;
        const found = selectionMismatches(event, parts, block, this.transactions, () => isSlow || this.abandoned.has(block));
        this.failures.push(...found.map((what) => `head ${block.height}: ${what}`));
        this.counts.heads += 1;
      },
      onFailedEvent: (failed) => this.failures.push(`a head without data: ${JSON.stringify(failed)}`),
    });
  }

  reorgs(connection: ClientConnection, parts: readonly EventSelection<SimBlock>[]): void {
    const checker = new ReorgReplayChecker(this.chain);
    this.checkers.push(checker);
    const header = `hash number ${parts.map(({ text }) => text).join(' ')}`;
    this.#follow(connection, {
      query: `subscription { reorgs { depth commonAncestor { hash } dropped { ${header} } added { ${header} } } }`,
      onEvent: (event, isSlow) => {
        checker.apply(event);
        for (const one of [...event.dropped, ...event.added]) {
          const block = this.chain.block(one.hash)!;
          const found = selectionMismatches(one, parts, block, this.transactions, () => isSlow || this.abandoned.has(block));
          this.failures.push(...found.map((what) => `reorg ${block.height}: ${what}`));
        }
        this.counts.reorgs += 1;
      },
      onFailedEvent: (failed) => this.failures.push(`a reorg without data: ${JSON.stringify(failed)}`),
    });
  }

  /** Resolves when every client has the events of the chain. */
  async isComplete(): Promise<void> {
    const { feed } = this.#graph;
    await waitUntil(
      () =>
        this.failures.length > 0 ||
        (feed.logsHead?.hash === this.chain.head.hash && this.checkers.every(({ isComplete }) => isComplete)),
      'every client has the events of the chain',
    );
    expect(this.failures.slice(0, 6)).toEqual([]);
  }

  /** Resolves when every subscription has ended. The connections must be closed. */
  async ended(): Promise<void> {
    await Promise.all(this.#runs);
  }
}

test.each(DIALECTS.map(([name, dialect], i) => [name, dialect, SEED + i] as const))(
  `over ${MOVES} moves random selections below logs, newHeads and reorgs are complete, each event once and in order: %s (SEED=${SEED})`,
  async (_name, dialect, from) => {
    const draw = random(from);
    const upTo = (n: number) => 1 + Math.floor(draw() * n);
    const chain = new SimChain({ seed: from, bloom: draw() < 0.5 ? 'real' : 'zero' });
    chain.mine(40);
    const graph = await startLiveGraph(chain, {
      dialect,
      transports: draw() < 0.5 ? 'ws' : 'both',
      ...(draw() < 0.3 && { cacheBytes: 0 }),
    });
    const transactions = new SimTransactions(chain, { hasBlockReceipts: draw() < 0.6, prunesRemovedBlocks: draw() < 0.7 });
    graph.node.intercept = transactions.respond;
    const run = new RemovedEventsRun(graph, chain, transactions);
    const [steady, ...connections] = Array.from({ length: 4 }, () => new WebSocketConnection(graph.url));
    const selections = [
      randomSelections(LOG_SELECTIONS, draw),
      randomSelections(LOG_SELECTIONS, draw),
      LOG_SELECTIONS.filter(({ text }) => text.startsWith('transaction')),
    ];
    for (const selection of selections) {
      await run.logs(steady!, selection);
      await run.logs(connections[0]!, selection);
    }
    for (const connection of connections) {
      await run.logs(connection, randomSelections(LOG_SELECTIONS, draw));
      run.heads(connection, randomSelections(HEADER_SELECTIONS, draw));
    }
    run.reorgs(steady!, randomSelections(HEADER_SELECTIONS, draw));
    await waitUntil(async () => (await graph.metric('subscriptions')) === 13, 'every client is subscribed');
    for (let move = 0; move < MOVES; move++) {
      for (const connection of connections) if (draw() < 0.3) connection.killAfter(upTo(20));
      // So that a short run has a reorg.
      const depth = move === 1 ? 5 : draw() < 0.6 ? upTo(5) : 0;
      const removedTransactions = Array.from({ length: depth }, (_none, i) => chain.main.at(chain.head.height - i)!).flatMap(
        (block) => block.transactions,
      );
      // Each transaction of a removed block is mined again, pending, replaced or unknown.
      for (const hash of removedTransactions) {
        const chance = draw();
        if (chance < 0.25) chain.queuedTransactions.push(hash);
        else if (chance < 0.5) transactions.addPending(hash);
        else if (chance < 0.75) chain.queuedTransactions.push(transactions.replacementOf(hash));
      }
      chain.reorg(depth, depth + upTo(3) - 1 + (depth === 0 ? 1 : 0));
      if (draw() < 0.7) await run.isComplete();
    }
    await run.isComplete();
    for (const connection of [steady!, ...connections]) connection.close();
    await run.ended();
    process.stdout.write(
      `removed events: ${JSON.stringify(run.counts)}, ${connections.reduce((sum, { kills }) => sum + kills, 0)} kills\n`,
    );
    expect(run.failures.slice(0, 3)).toEqual([]);
    expect(run.checkers.flatMap((checker) => checker.differences())).toEqual([]);
    expect(run.counts.removed).toBeGreaterThan(runSize(0, MOVES));
  },
);
