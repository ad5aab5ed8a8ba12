import type { AbiRegistry } from '../../ethereum/abi/registry.ts';
import type { Data } from '../../ethereum/hex.ts';
import type { RpcTransaction } from '../../ethereum/rpc-types.ts';
import { availableRangeLoader } from '../../snapshot/history/available-range.ts';
import type { Snapshot } from '../../snapshot/index.ts';
import type { DomainServices } from '../domain.ts';
import { accountLoader, proofLoader } from './account/load.ts';
import { canonicalCheck } from './block/canonical-check.ts';
import { encodingLoader } from './block/encodings.ts';
import { type FinalityMarkers, finalityReader } from './block/finality.ts';
import { HEADER_ONLY_PLAN } from './block/range-reads.ts';
import { rangeLoaders } from './block/ranges.ts';
import { BlockReads } from './block/reads.ts';
import { callLoader, revertPayloadLoader, simulationLoader } from './call/load.ts';
import { feeHistoryLoader } from './fee/load.ts';
import { abiDecoder } from './log/criteria.ts';
import type { LogDensities } from './log/range-search.ts';
import { createLogSearches, type LogSearches } from './log/searches.ts';
import type { SubmittedTransaction } from './model.ts';
import { nodeReads } from './node/load.ts';
import type { ChainSubscriptions } from './subscriptions/index.ts';
import { transactionLoader } from './transaction/load.ts';
import { pendingReader } from './transaction/load-pending.ts';
import { minedTransactionCheck, submitTransaction } from './transaction/submit.ts';

/** Limits on the results of one field, and the mode of the server. */
export interface ChainLimits {
  readonly maxBlocks: number;
  readonly maxLogs: number;
  /** Whether unknown block hashes and mined transactions are errors, as in the GraphQL servers of execution clients. */
  readonly isDropIn?: boolean | undefined;
  readonly service: DomainServices['service'];
}

/** Sources that the loaders of all operations share. */
export interface ChainSources extends ChainLimits {
  readonly finalityMarkers: FinalityMarkers;
  readonly abis: AbiRegistry;
  readonly logDensities: LogDensities;
  readonly subscriptions: ChainSubscriptions;
}

/** Share of the remaining time of an operation that it may wait; the rest is for reading and sending the result. */
const MAX_WAIT_SHARE = 0.8;

/**
 * The loaders of one operation, by what they read. Entities are loaded through DataLoaders (docs/decisions/0021). A part is created when it is
 * first read, so that an operation pays only for what it selects.
 */
export class ChainLoaders {
  readonly #sources: ChainSources;
  readonly #snapshot: Snapshot;
  #blocks: BlockReads | undefined;
  #accounts: ReturnType<typeof accountLoader> | undefined;
  #proofs: ReturnType<typeof proofLoader> | undefined;
  #transactions: ReturnType<typeof transactionLoader> | undefined;
  #finality: ReturnType<typeof finalityReader> | undefined;
  #ranges: ReturnType<typeof rangeLoaders> | undefined;
  #logs: LogSearches | undefined;
  #feeHistory: ReturnType<typeof feeHistoryLoader> | undefined;
  #decoder: ReturnType<typeof abiDecoder> | undefined;
  #calls: ReturnType<typeof callLoader> | undefined;
  #simulations: ReturnType<typeof simulationLoader> | undefined;
  #revertPayload: ReturnType<typeof revertPayloadLoader> | undefined;
  #encodings: ReturnType<typeof encodingLoader> | undefined;
  #pending: ReturnType<typeof pendingReader> | undefined;
  #node: ReturnType<typeof nodeReads> | undefined;
  #availableRange: ReturnType<typeof availableRangeLoader> | undefined;
  #checkCanonicalPart: ReturnType<typeof canonicalCheck> | undefined;

  constructor(sources: ChainSources, snapshot: Snapshot) {
    this.#sources = sources;
    this.#snapshot = snapshot;
  }

  /** The source streams of the process. */
  get subscriptions(): ChainSubscriptions {
    return this.#sources.subscriptions;
  }

  /** Whether an unknown block hash, and a submission of a mined transaction, is an error. */
  get isDropIn(): boolean {
    return this.#sources.isDropIn ?? false;
  }

  /** What the graph states about itself. A new release may change it, so that a response with it is never immutable. */
  service(): DomainServices['service'] {
    this.#snapshot.operation.dependencies.addHead();
    return this.#sources.service;
  }

  /** Submits a signed transaction. Source: `eth_sendRawTransaction`. */
  submit(bytes: Data): Promise<SubmittedTransaction> {
    const { node, session, operation } = this.#snapshot;
    return submitTransaction(node, session, bytes, operation.signal);
  }

  /** Rejects with NONCE_TOO_LOW when a signed transaction is mined. */
  assertNotMined(bytes: Data): Promise<void> {
    return minedTransactionCheck(this.#snapshot)(bytes);
  }

  /** Resolves with a transaction once it is in a canonical block; null after `waitMs`, or shortly before the deadline of the operation. */
  waitUntilMined(hash: Data, waitMs: number): Promise<RpcTransaction | null> {
    const { deadline = Number.POSITIVE_INFINITY, signal } = this.#snapshot.operation;
    const maxWaitMs = Math.max(0, MAX_WAIT_SHARE * (deadline - performance.now()));
    return this.subscriptions.waitUntilMined(hash, Math.min(waitMs, maxWaitMs), signal);
  }

  /** Blocks and what they contain. */
  get blocks(): BlockReads {
    this.#blocks ??= new BlockReads(this.#snapshot, this);
    return this.#blocks;
  }

  /** State and ids of accounts. */
  get accounts(): ReturnType<typeof accountLoader> {
    this.#accounts ??= accountLoader(this.#snapshot);
    return this.#accounts;
  }

  /** Merkle proofs of accounts. */
  get proofs(): ReturnType<typeof proofLoader> {
    this.#proofs ??= proofLoader(this.#snapshot);
    return this.#proofs;
  }

  /** Transactions and their receipts. */
  get transactions(): ReturnType<typeof transactionLoader> {
    this.#transactions ??= transactionLoader(this.#snapshot, this.blocks);
    return this.#transactions;
  }

  /** Confirmations and finality of blocks. */
  get finality(): ReturnType<typeof finalityReader> {
    this.#finality ??= finalityReader(this.#snapshot, this.#sources.finalityMarkers, this.#checkCanonical);
    return this.#finality;
  }

  /** Lists and pages of blocks and of their transactions. */
  get ranges(): ReturnType<typeof rangeLoaders> {
    this.#ranges ??= rangeLoaders({
      ...{
        snapshot: this.#snapshot,
        maxBlocks: this.#sources.maxBlocks,
        windows: this.blocks.windows,
        blocks: this.blocks.loader,
      },
      ...{ checkCanonical: this.#checkCanonical, block: this.blocks.load, prefetchBlock: this.blocks.prefetch },
      ...{ fromHeader: this.blocks.fromHeader, releaseBlock: this.blocks.release, transactionsIn: this.blocks.transactionsIn },
    });
    return this.#ranges;
  }

  /** Searches of logs, and of the transfers of a token. */
  get logs(): LogSearches {
    const { maxLogs, logDensities } = this.#sources;
    this.#logs ??= createLogSearches(this.#snapshot, this, {
      checkCanonical: this.#checkCanonical,
      densities: logDensities,
      maxLogs,
    });
    return this.#logs;
  }

  /** Fees of consecutive blocks. */
  get feeHistory(): ReturnType<typeof feeHistoryLoader> {
    this.#feeHistory ??= feeHistoryLoader(this.#snapshot, this.blocks.loader);
    return this.#feeHistory;
  }

  /** Decoded calls, events and reverts. */
  get decoder(): ReturnType<typeof abiDecoder> {
    this.#decoder ??= abiDecoder(this.#sources.abis, this.#snapshot.operation);
    return this.#decoder;
  }

  /** Executed calls and estimates of gas. */
  get calls(): ReturnType<typeof callLoader> {
    this.#calls ??= callLoader(this.#snapshot, this.decoder.revertReason);
    return this.#calls;
  }

  /** Simulations and access lists. */
  get simulations(): ReturnType<typeof simulationLoader> {
    this.#simulations ??= simulationLoader(this.#snapshot, this.decoder.revertReason);
    return this.#simulations;
  }

  /** The payload of the revert of a transaction. */
  get revertPayload(): ReturnType<typeof revertPayloadLoader> {
    this.#revertPayload ??= revertPayloadLoader(this.#snapshot);
    return this.#revertPayload;
  }

  /** Encoded blocks, transactions and receipts. */
  get encodings(): ReturnType<typeof encodingLoader> {
    this.#encodings ??= encodingLoader(this.#snapshot, {
      ...{ block: this.blocks.load, ommer: this.blocks.loader.ommer, transactionsIn: this.blocks.transactionsIn },
      receiptsIn: (parent) => this.blocks.contentsIn(parent).receipts,
    });
    return this.#encodings;
  }

  /** The pending block. */
  get pending(): ReturnType<typeof pendingReader> {
    this.#pending ??= pendingReader(this.#snapshot);
    return this.#pending;
  }

  /** Values of the node that belong to no entity. */
  get node(): ReturnType<typeof nodeReads> {
    this.#node ??= nodeReads(this.#snapshot, () => this.blocks.latest(HEADER_ONLY_PLAN));
    return this.#node;
  }

  /** The heights that the node serves, by resource. */
  get availableRange(): ReturnType<typeof availableRangeLoader> {
    this.#availableRange ??= availableRangeLoader(this.#snapshot);
    return this.#availableRange;
  }

  get #checkCanonical(): ReturnType<typeof canonicalCheck> {
    this.#checkCanonicalPart ??= canonicalCheck(this.#snapshot);
    return this.#checkCanonicalPart;
  }
}
