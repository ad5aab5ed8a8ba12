import { type AbiRegistry, createAbiRegistry } from '../../ethereum/abi/registry.ts';
import type { Data } from '../../ethereum/hex.ts';
import type { RpcTransaction } from '../../ethereum/rpc-types.ts';
import { Snapshot } from '../../snapshot/index.ts';
import type { DomainServices } from '../domain.ts';
import { accountLoader } from './account/load.ts';
import { encodingLoader } from './block/encodings.ts';
import { type FinalityMarkers, finalityReader } from './block/finality.ts';
import { rangeLoaders } from './block/ranges.ts';
import { BlockReads } from './block/reads.ts';
import { callLoader } from './call/load.ts';
import { abiDecoder } from './log/criteria.ts';
import { duelLogLoader } from './log/duel-logs.ts';
import { LogDensities } from './log/range-search.ts';
import { createLogSearches, type LogSearches } from './log/searches.ts';
import { nodeReads } from './node/load.ts';
import type { Streams } from './streams/index.ts';
import { type ChainSubscriptionSources, createChainSubscriptions } from './subscriptions/index.ts';
import { traceLoader } from './trace/load.ts';
import { transactionLoader } from './transaction/load.ts';
import { pendingReader } from './transaction/load-pending.ts';

/** Limits on the results of one field, the mode of the server, and the sources of the chain loaders. */
interface ChainLoaderOptions {
  readonly maxBlocks: number;
  readonly maxLogs: number;
  /** Whether unknown block hashes and mined transactions are errors, as for execution clients. @default false */
  readonly isDropIn?: boolean | undefined;
  /** Address of the tournament's contract, in lower case. @default unknown */
  readonly tournament?: Data | undefined;
  /** Number of confirmations after which a transaction is CONFIRMED. @default 1 */
  readonly confirmations?: number | undefined;
  readonly service: ChainService;
  /** The named streams of callers. */
  readonly streams: Streams;
  readonly subscriptionSources: ChainSubscriptionSources;
  /** The ABIs that decode calls and events. @default the standards */
  readonly abis?: AbiRegistry;
}

/** Creates the sources that the loaders of all operations share. */
function createChainSources({ subscriptionSources, abis = createAbiRegistry(), ...limits }: ChainLoaderOptions) {
  const finalityMarkers: FinalityMarkers = { finalizedHeight: -1, byTag: new Map() };
  const subscriptions = createChainSubscriptions(
    subscriptionSources,
    (operation) => new ChainLoaders(sources, new Snapshot(subscriptionSources.snapshotSources, operation)),
  );
  const sources = { ...limits, abis, finalityMarkers, logDensities: new LogDensities(), subscriptions };
  return sources;
}

type ChainSources = ReturnType<typeof createChainSources>;

/** The part of an operation's context that chain resolvers read. */
export interface ChainContext {
  readonly chain: ChainLoaders;
}

/** The parent value of `Service`. */
export type ChainService = DomainServices['service'];

/** Returns the factory of each operation's chain loaders. */
export function createChainLoaders(options: ChainLoaderOptions) {
  const sources = createChainSources(options);
  return (snapshot: Snapshot) => new ChainLoaders(sources, snapshot);
}

/**
 * Share of the remaining time of an operation for which it may wait; the rest of the time is for reading and sending
 * the result.
 */
const MAX_WAIT_SHARE = 0.8;

/**
 * The loaders of one operation, grouped by the data that they read. Entities are loaded through DataLoaders
 * (docs/decisions/0021). A part is created when it is first read, so that an operation pays only for the parts that it
 * selects.
 */
export class ChainLoaders {
  /** The sources of the process. */
  readonly sources: ChainSources;
  readonly snapshot: Snapshot;
  #blocks: BlockReads | undefined;
  #accounts: ReturnType<typeof accountLoader> | undefined;
  #transactions: ReturnType<typeof transactionLoader> | undefined;
  #finality: ReturnType<typeof finalityReader> | undefined;
  #ranges: ReturnType<typeof rangeLoaders> | undefined;
  #logs: LogSearches | undefined;
  #duelLogs: ReturnType<typeof duelLogLoader> | undefined;
  #decoder: ReturnType<typeof abiDecoder> | undefined;
  #calls: ReturnType<typeof callLoader> | undefined;
  #encodings: ReturnType<typeof encodingLoader> | undefined;
  #pending: ReturnType<typeof pendingReader> | undefined;
  #node: ReturnType<typeof nodeReads> | undefined;
  #traces: ReturnType<typeof traceLoader> | undefined;

  constructor(sources: ChainSources, snapshot: Snapshot) {
    this.sources = sources;
    this.snapshot = snapshot;
  }

  /** The named streams of callers. */
  get streams(): Streams {
    return this.sources.streams;
  }

  /** The source streams of the process. */
  get subscriptions(): ChainSources['subscriptions'] {
    return this.sources.subscriptions;
  }

  /**
   * The facts that the graph states about itself. A new release may change them, so a response that contains them is
   * never immutable.
   */
  service(): ChainService {
    this.snapshot.operation.dependencies.addHead();
    return this.sources.service;
  }

  /** Resolves with a transaction once it is in a canonical block; null after `waitMs`, or shortly before the deadline of the operation. */
  waitUntilMined(hash: Data, waitMs: number): Promise<RpcTransaction | null> {
    const { deadline = Number.POSITIVE_INFINITY, signal } = this.snapshot.operation;
    const maxWaitMs = Math.max(0, MAX_WAIT_SHARE * (deadline - performance.now()));
    return this.subscriptions.waitUntilMined(hash, Math.min(waitMs, maxWaitMs), signal);
  }

  /** Blocks and their contents. */
  get blocks(): BlockReads {
    this.#blocks ??= new BlockReads(this.snapshot, this);
    return this.#blocks;
  }

  /** State, proofs and ids of accounts. */
  get accounts(): ReturnType<typeof accountLoader> {
    this.#accounts ??= accountLoader(this.snapshot, this);
    return this.#accounts;
  }

  /** Transactions and their receipts. */
  get transactions(): ReturnType<typeof transactionLoader> {
    this.#transactions ??= transactionLoader(this.snapshot, this.blocks);
    return this.#transactions;
  }

  /** Confirmations and finality of blocks. */
  get finality(): ReturnType<typeof finalityReader> {
    this.#finality ??= finalityReader(this.snapshot, this.sources.finalityMarkers);
    return this.#finality;
  }

  /** Lists and pages of blocks and of their transactions. */
  get ranges(): ReturnType<typeof rangeLoaders> {
    const { maxBlocks } = this.sources;
    this.#ranges ??= rangeLoaders({ snapshot: this.snapshot, blocks: this.blocks, finality: this.finality, maxBlocks });
    return this.#ranges;
  }

  /** Searches of logs, and of the transfers of a token. */
  get logs(): LogSearches {
    const { maxLogs, logDensities } = this.sources;
    this.#logs ??= createLogSearches(this.snapshot, this, logDensities, maxLogs);
    return this.#logs;
  }

  /** Events of the duels of the tournament. */
  get duelLogs(): ReturnType<typeof duelLogLoader> {
    this.#duelLogs ??= duelLogLoader(this.snapshot, this.logs, this.sources.tournament);
    return this.#duelLogs;
  }

  /** Decoded calls, events and reverts. */
  get decoder(): ReturnType<typeof abiDecoder> {
    this.#decoder ??= abiDecoder(this.sources.abis, this.snapshot.operation);
    return this.#decoder;
  }

  /** Executed and simulated calls, estimates of gas, and the outcome of reverted transactions. */
  get calls(): ReturnType<typeof callLoader> {
    this.#calls ??= callLoader(this.snapshot, this.decoder);
    return this.#calls;
  }

  /** Traces of transactions and blocks. */
  get traces(): ReturnType<typeof traceLoader> {
    this.#traces ??= traceLoader(this.snapshot, this);
    return this.#traces;
  }

  /** Encoded blocks, transactions and receipts. */
  get encodings(): ReturnType<typeof encodingLoader> {
    this.#encodings ??= encodingLoader(this.snapshot, this.blocks);
    return this.#encodings;
  }

  /** The pending block. */
  get pending(): ReturnType<typeof pendingReader> {
    this.#pending ??= pendingReader(this.snapshot);
    return this.#pending;
  }

  /** Fees, and values of the node that belong to no entity. */
  get node(): ReturnType<typeof nodeReads> {
    this.#node ??= nodeReads(this.snapshot, this.blocks);
    return this.#node;
  }
}
