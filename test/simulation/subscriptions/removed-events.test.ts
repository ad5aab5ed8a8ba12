import { expect, test } from '@jest/globals';
// @ts-expect-error: the examples are plain JavaScript.
import { follow } from '../../../examples/follow.mjs';
import { decodeLogCursor } from '../../../src/domains/chain/log-cursor.ts';
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

/** Random selections below events of blocks that come and go, of a node that forgets what a reorg removes, through the example client. */
const SEED = readSeed();

const MOVES = runSize(5, 400);
const LOG = 'cursor removed index blockHash blockNumber data topics transactionHash account { address }';

interface FailedEvent {
  readonly errors: readonly { readonly message: string; readonly extensions: { readonly code: string } }[];
  readonly cursor?: string;
  readonly removed?: boolean;
}

/** On a machine that is busy with other things. */
const TIMEOUT_CODES: ReadonlySet<string> = new Set(['UPSTREAM_TIMEOUT', 'UPSTREAM_CIRCUIT_OPEN']);
const isSlow = (errors: FailedEvent['errors']): boolean => errors.some(({ extensions }) => TIMEOUT_CODES.has(extensions.code));

interface SubscriptionOptions {
  readonly query: string;
  readonly after?: string | undefined;
  readonly cursorOf?: (event: any) => string | undefined;
  /** `isSlow`: whether a request of the event took the node too long, so that a part of it may be null. */
  readonly take: (event: any, isSlow: boolean) => void;
  readonly onFailedEvent: (failed: FailedEvent) => void;
}

const STATUS =
  'hash status confirmations succeeded transaction { hash from { address } blockHash block { hash } } receipt { blockHash status }';

type StatusContext = Pick<RemovedEventsRun, 'abandoned' | 'chain' | 'transactions'>;

/** How a transaction fares, by the events of `transactionStatus`: no two in a row are the same, unless the client subscribed again in between. */
class StatusReplayChecker implements ReplayChecker {
  readonly counts = { added: 0, removed: 0 };
  isOver = false;
  readonly #hash: string;
  readonly #scene: StatusContext;
  #last: any;
  #isResumed = true;

  constructor(hash: string, scene: StatusContext) {
    this.#hash = hash;
    this.#scene = scene;
  }

  resume(): void {
    this.#isResumed = true;
  }

  apply(event: any, isSlow = false): void {
    const { status, confirmations, succeeded, transaction, receipt } = event;
    const { abandoned, chain, transactions } = this.#scene;
    const insist = (fits: boolean, what: string) => {
      if (!fits) throw new Error(`${what}: ${JSON.stringify(event)}`);
    };
    const name = (one: any) => JSON.stringify([one?.status, one?.confirmations, one?.transaction?.blockHash]);
    insist(this.#isResumed || name(event) !== name(this.#last), 'the same status twice');
    this.#isResumed = false;
    this.#last = event;
    this.counts.added += 1;
    const block = chain.block(transaction?.blockHash ?? '');
    insist((status === 'MINED' || status === 'CONFIRMED') === (block !== undefined), 'a status that its block does not fit');
    if (!block) {
      insist(receipt === null && succeeded === null && confirmations === null, 'a receipt in no block');
      return;
    }
    const right = { hash: block.hash, status: transactions.statusOf(this.#hash) };
    insist(block.transactions.includes(this.#hash), 'another block');
    insist(transaction.from.address === transactions.transactionIn(this.#hash, block).from, 'another sender');
    const isLeft = isSlow || abandoned.has(block);
    insist(transaction.block.hash === right.hash, 'another block below the transaction');
    insist(receipt ? receipt.blockHash === right.hash && receipt.status === right.status : isLeft, 'another receipt');
    insist(succeeded === null ? isLeft : succeeded === (right.status === '0x1'), 'another outcome');
  }

  get isComplete(): boolean {
    const { chain, transactions } = this.#scene;
    const block = transactions.blockContaining(this.#hash);
    if (this.isOver || !block) return this.isOver || (this.#last !== undefined && !this.#last.transaction?.blockHash);
    const depth = chain.head.height - block.height + 1;
    return this.#last?.transaction?.blockHash === block.hash && Number(this.#last.confirmations) === depth;
  }

  differences(): string[] {
    return this.isComplete ? [] : [`${this.#hash} is not told as it is`];
  }
}

/** Everything that one run is about. */
class RemovedEventsRun {
  readonly wrong: string[] = [];
  readonly books: ReplayChecker[] = [];
  readonly counts = { logs: 0, removed: 0, heads: 0, reorgs: 0, statuses: 0, failed: 0, breaks: 0 };
  readonly abandoned = new Set<SimBlock>();
  readonly chain: SimChain;
  readonly transactions: SimTransactions;
  readonly #graph: LiveGraph;
  readonly #runs: Promise<void>[] = [];
  /** By selection, the logs that some listener has received, with the parts that were there; their removals must have these too. */
  readonly #received = new Map<string, Map<SimLog, Set<EventSelection<any>>>>();

  constructor(graph: LiveGraph, chain: SimChain, transactions: SimTransactions) {
    this.#graph = graph;
    this.chain = chain;
    this.transactions = transactions;
    chain.main.onChange(({ removed }) => {
      for (const block of removed) this.abandoned.add(block);
    });
  }

  #follow(
    line: ClientConnection,
    { take, cursorOf = () => undefined, ...wanted }: SubscriptionOptions,
    onResume = () => {},
    onEnd?: () => void,
  ): void {
    const run = async () => {
      const onBreak = () => {
        this.counts.breaks += 1;
        onResume();
      };
      const options = { ...wanted, cursorOf: (data: object) => cursorOf(Object.values(data)[0]), onBreak, pauseMs: 1 };
      let errors: FailedEvent['errors'] = [];
      const iterate = async function* (request: Parameters<ClientConnection['iterate']>[0]) {
        for await (const answer of line.iterate(request)) {
          errors = (answer.errors ?? []) as FailedEvent['errors'];
          yield answer;
        }
      };
      for await (const data of follow({ iterate }, options)) {
        const before = this.wrong.length;
        take(Object.values(data)[0], isSlow(errors));
        if (this.wrong.length > before) this.wrong.push(JSON.stringify(errors));
      }
      if (onEnd) onEnd();
      else if (!line.isClosed) throw new Error('it ended as if everything were said');
    };
    this.#runs.push(
      run().catch((error) => void this.wrong.push(error instanceof Error ? String(error.stack) : JSON.stringify(error))),
    );
  }

  async logs(line: ClientConnection, parts: readonly EventSelection<any>[]): Promise<void> {
    const text = parts.map((part) => part.text).join(' ');
    const received = this.#received.get(text) ?? new Map<SimLog, Set<EventSelection<any>>>();
    this.#received.set(text, received);
    const { logs } = await this.#graph.execute('{ logs(filter: { fromBlock: "0x0" }) { cursor } }', {});
    const book = new LogReplayChecker(this.chain, {});
    this.books.push(book);
    const isStateful = parts.some(({ readsState }) => readsState);
    const logOf = (hash: string, index: number) => this.chain.block(hash)!.logs[index]!;
    this.#follow(line, {
      query: `subscription ($after: String) { logs(after: $after) { ${LOG} ${text} } }`,
      after: logs.at(-1).cursor,
      cursorOf: ({ cursor }) => cursor,
      take: (event, isSlow) => {
        book.apply(event);
        const { blockHash, index, removed, transactionHash: hash } = event;
        const block = this.chain.block(blockHash)!;
        const log = logOf(blockHash, Number(index));
        const before = received.get(log) ?? new Set();
        const isNullAllowed = (part: EventSelection<any>) => isSlow || (removed ? !before.has(part) : this.abandoned.has(block));
        const found = selectionMismatches(event, parts, { block, hash, removed }, this.transactions, isNullAllowed);
        this.wrong.push(...found.map((what) => `log ${removed ? 'removed' : 'added'} ${block.height}: ${what}`));
        if (!removed) for (const part of parts) if (isSelectionComplete(event, part)) before.add(part);
        if (!removed) received.set(log, before);
        this.counts[removed ? 'removed' : 'logs'] += 1;
      },
      onFailedEvent: ({ cursor, removed, errors }) => {
        this.counts.failed += 1;
        if (cursor === undefined) {
          this.wrong.push(`a log without data and cursor: ${JSON.stringify(errors)}`);
          return;
        }
        const place = decodeLogCursor(cursor);
        const log = logOf(place.hash, place.index);
        if (place.removed !== removed) this.wrong.push(`removed is ${removed}, and the cursor says otherwise`);
        if (removed && received.has(log) && !isStateful && !isSlow(errors))
          this.wrong.push(`a removal fails although the log was read: ${text} ${JSON.stringify(errors)}`);
        book.apply({ ...log, index: log.logIndex, account: { address: log.address }, removed });
      },
    });
  }

  heads(line: ClientConnection, parts: readonly EventSelection<SimBlock>[]): void {
    const book = new HeadReplayChecker(this.chain);
    this.books.push(book);
    this.#follow(line, {
      query: `subscription ($after: Bytes32) { newHeads(after: $after) { number hash parentHash ${parts.map(({ text }) => text).join(' ')} } }`,
      after: this.chain.head.hash,
      cursorOf: ({ hash }) => hash,
      take: (event, isSlow) => {
        book.apply(event);
        const block = this.chain.block(event.hash)!;
        const found = selectionMismatches(event, parts, block, this.transactions, () => isSlow || this.abandoned.has(block));
        this.wrong.push(...found.map((what) => `head ${block.height}: ${what}`));
        this.counts.heads += 1;
      },
      onFailedEvent: (failed) => this.wrong.push(`a head without data: ${JSON.stringify(failed)}`),
    });
  }

  reorgs(line: ClientConnection, parts: readonly EventSelection<SimBlock>[]): void {
    const book = new ReorgReplayChecker(this.chain);
    this.books.push(book);
    const header = `hash number ${parts.map(({ text }) => text).join(' ')}`;
    this.#follow(line, {
      query: `subscription { reorgs { depth commonAncestor { hash } dropped { ${header} } added { ${header} } } }`,
      take: (event, isSlow) => {
        book.apply(event);
        for (const one of [...event.dropped, ...event.added]) {
          const block = this.chain.block(one.hash)!;
          const found = selectionMismatches(one, parts, block, this.transactions, () => isSlow || this.abandoned.has(block));
          this.wrong.push(...found.map((what) => `reorg ${block.height}: ${what}`));
        }
        this.counts.reorgs += 1;
      },
      onFailedEvent: (failed) => this.wrong.push(`a reorg without data: ${JSON.stringify(failed)}`),
    });
  }

  status(line: ClientConnection, hash: string): void {
    const book = new StatusReplayChecker(hash, this);
    this.books.push(book);
    const onEnd = () => {
      book.isOver = true;
    };
    this.#follow(
      line,
      {
        query: `subscription { transactionStatus(hash: "${hash}", confirmations: 64) { ${STATUS} } }`,
        take: (event, isSlow) => {
          book.apply(event, isSlow);
          this.counts.statuses += 1;
        },
        onFailedEvent: (failed) => this.wrong.push(`a status without data: ${JSON.stringify(failed)}`),
      },
      () => book.resume(),
      onEnd,
    );
  }

  /** Resolves when all have what the chain has. */
  async isComplete(): Promise<void> {
    const { feed } = this.#graph;
    await waitUntil(
      () =>
        this.wrong.length > 0 ||
        (feed.logsHead?.hash === this.chain.head.hash && this.books.every(({ isComplete }) => isComplete)),
      'all have what the chain has',
    );
    expect(this.wrong.slice(0, 6)).toEqual([]);
  }

  /** Resolves when nothing runs any more, once the lines are closed. */
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
    const scene = new RemovedEventsRun(graph, chain, transactions);
    const [steady, ...lines] = Array.from({ length: 4 }, () => new WebSocketConnection(graph.url));
    const selections = [
      randomSelections(LOG_SELECTIONS, draw),
      randomSelections(LOG_SELECTIONS, draw),
      LOG_SELECTIONS.filter(({ text }) => text.startsWith('transaction')),
    ];
    for (const selection of selections) {
      await scene.logs(steady!, selection);
      await scene.logs(lines[0]!, selection);
    }
    for (const line of lines) {
      await scene.logs(line, randomSelections(LOG_SELECTIONS, draw));
      scene.heads(line, randomSelections(HEADER_SELECTIONS, draw));
    }
    scene.reorgs(steady!, randomSelections(HEADER_SELECTIONS, draw));
    // They are pending first, and mined with the first move.
    for (const line of [steady!, steady!, ...lines]) {
      const hash = `0x${Array.from({ length: 64 }, () => Math.floor(draw() * 16).toString(16)).join('')}`;
      transactions.addPending(hash);
      chain.queuedTransactions.push(hash);
      scene.status(line, hash);
    }
    await waitUntil(async () => (await graph.metric('subscriptions')) === 18, 'all have subscribed');
    for (let move = 0; move < MOVES; move++) {
      for (const line of lines) if (draw() < 0.3) line.killAfter(upTo(20));
      // A short run, too, removes blocks.
      const depth = move === 1 ? 5 : draw() < 0.6 ? upTo(5) : 0;
      const lost = Array.from({ length: depth }, (_none, i) => chain.main.at(chain.head.height - i)!).flatMap(
        (block) => block.transactions,
      );
      // Each transaction of the blocks that go is mined again, pending, replaced by another one, or forgotten.
      for (const hash of lost) {
        const fate = draw();
        if (fate < 0.25) chain.queuedTransactions.push(hash);
        else if (fate < 0.5) transactions.addPending(hash);
        else if (fate < 0.75) chain.queuedTransactions.push(transactions.replacementOf(hash));
      }
      chain.reorg(depth, depth + upTo(3) - 1 + (depth === 0 ? 1 : 0));
      if (draw() < 0.7) await scene.isComplete();
    }
    await scene.isComplete();
    for (const line of [steady!, ...lines]) line.close();
    await scene.ended();
    process.stdout.write(
      `removed events: ${JSON.stringify(scene.counts)}, ${lines.reduce((sum, { kills }) => sum + kills, 0)} kills\n`,
    );
    expect(scene.wrong.slice(0, 3)).toEqual([]);
    expect(scene.books.flatMap((book) => book.differences())).toEqual([]);
    expect(scene.counts.removed).toBeGreaterThan(runSize(0, MOVES));
  },
);
