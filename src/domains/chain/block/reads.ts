import { type Data, isBlockHash, type Quantity } from '../../../ethereum/hex.ts';
import type { LogFilter } from '../../../ethereum/log-filters.ts';
import type { BlockRef, RpcBlock, RpcLog, RpcReceipt } from '../../../ethereum/rpc-types.ts';
import { GraphError } from '../../../lib/errors.ts';
import type { OperationBudget } from '../../../lib/operation-budget.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import type { Head } from '../../../sync/head/follower.ts';
import { checkTopics } from '../log/criteria.ts';
import { type BlockLogsLoader, blockLogsLoader } from '../log/reads.ts';
import { type ChainBlock, isFullTransaction, type PartialTransaction, partialBlock } from '../model.ts';
import type { TransactionLoader } from '../transaction/load.ts';
import type { TransactionPlan } from '../transaction/plan.ts';
import { recordBlock } from '../verification.ts';
import {
  type BlockContentLoaders,
  BlockContents,
  type BlockKey,
  blockReceiptsLoader,
  prefetchBlockContents,
  releaseBlockContents,
} from './contents.ts';
import { type FinalityReader, type FinalityTag, nullIfTagUnsupported } from './finality.ts';
import { type BlockLoader, blockLoader } from './load.ts';
import type { BlockPlan } from './plan.ts';

/** The parts of an operation's loaders that blocks need, each created when first used. */
interface BlockReadsParts {
  readonly finality: FinalityReader;
  readonly transactions: TransactionLoader;
}

/** The parts of an operation's loaders that logs and traces need, each created when first used. */
export interface LoaderParts extends BlockReadsParts {
  readonly blocks: BlockReads;
}

/** Reads the blocks of one operation, and their contents. */
export class BlockReads implements BlockContentLoaders {
  readonly #snapshot: Snapshot;
  readonly #parts: BlockReadsParts;
  /** The blocks, keyed by hash or height, without their contents. */
  readonly loader: BlockLoader;
  #contents: Map<Data, BlockContents> | undefined;
  #receiptsLoader: BlockContentLoaders['receiptsLoader'] | undefined;
  #logsLoader: BlockLogsLoader | undefined;

  constructor(snapshot: Snapshot, parts: BlockReadsParts) {
    this.#snapshot = snapshot;
    this.#parts = parts;
    this.loader = blockLoader(snapshot);
  }

  get receiptsLoader(): BlockContentLoaders['receiptsLoader'] {
    this.#receiptsLoader ??= blockReceiptsLoader(this.#snapshot);
    return this.#receiptsLoader;
  }

  get logsLoader(): BlockLogsLoader {
    this.#logsLoader ??= blockLogsLoader(this.#snapshot);
    return this.#logsLoader;
  }

  get budget(): OperationBudget | undefined {
    return this.#snapshot.operation.budget;
  }

  /** Loads a block with the contents that a plan needs. A height or a tag is resolved on this operation's chain. */
  readonly load = async (requestedRef: BlockRef, requestedPlan: BlockPlan): Promise<RpcBlock | null> => {
    const { pin } = this.#snapshot;
    const plan = this.#provenPlan(requestedPlan);
    if (pin.isUnresolved && !isBlockHash(requestedRef)) await pin.head();
    const ref = pin.resolveRef(requestedRef);
    const loaded = isBlockHash(ref) ? this.contentsOf(ref) : undefined;
    if (loaded?.covers(plan)) return loaded.block;
    const hasContents = plan.receipts || plan.allLogs || plan.filters.length > 0;
    if (hasContents) void prefetchBlockContents(ref, plan, this.#snapshot);
    const found = await this.loader.load(ref, plan.full);
    recordBlock(this.#snapshot, ref, found, plan.full);
    const contents = found && this.#storeContents(found, plan);
    if (hasContents) await contents?.receivePrefetched(ref, plan);
    return found;
  };

  /**
   * Requests a block at a height with the contents that a plan needs; resolves when `load` needs no further call. With
   * full transactions, no promise resolves with the block, because a promise that waits for long is in the old
   * generation, where it would retain the block after both have become garbage.
   */
  readonly prefetch = async (height: Quantity, requestedPlan: BlockPlan): Promise<void> => {
    const plan = this.#provenPlan(requestedPlan);
    const ref = this.#snapshot.pin.resolveRef(height);
    if (plan.full && !this.contentsOf(ref)?.covers(plan)) {
      await Promise.all([prefetchBlockContents(ref, plan, this.#snapshot), this.loader.prefetch(ref)]);
    } else await this.load(height, plan);
  };

  /** The plan of an operation that asks for verification: the receipts of a block prove its logs. */
  #provenPlan(plan: BlockPlan): BlockPlan {
    if (!this.#snapshot.operation.trust || (!plan.allLogs && plan.filters.length === 0)) return plan;
    return { ...plan, receipts: true, allLogs: false, filters: [] };
  }

  /** Loads the head of this operation. */
  async latest(plan: BlockPlan): Promise<RpcBlock | null> {
    const { pin, operation } = this.#snapshot;
    if (pin.knownHead) return this.load(pin.knownHead.hash, plan);
    if (pin.isReading || operation.block !== undefined) return this.load((await pin.head()).hash, plan);
    const found = this.load('latest', plan);
    pin.adoptHead(this.loader.load('latest', plan.full));
    return found;
  }

  /** Loads the safe or the final block, or the head of this operation when that is lower. */
  async byFinality(tag: FinalityTag, plan: BlockPlan): Promise<RpcBlock | null> {
    const { pin, operation } = this.#snapshot;
    operation.trust?.addUnproven('block');
    const head = pin.isUnresolved ? await pin.head() : pin.knownHead;
    if (!head) return this.load(tag, plan).catch(nullIfTagUnsupported);
    const found = await this.#parts.finality.blockOfTag(tag);
    if (!found) return null;
    if (Number(found.number) > head.height) return this.load(head.hash, plan);
    return plan.full || plan.receipts || plan.allLogs || plan.filters.length > 0 ? this.load(found.hash, plan) : found;
  }

  /** Returns a block from its header, without a request, if the header is known and has the properties `needs`. */
  readonly fromHeader = (ref: BlockRef, needs: readonly string[] | undefined): ChainBlock | undefined => {
    const { pin, operation } = this.#snapshot;
    const hash = ref === 'latest' ? pin.knownHead?.hash : pin.resolveRef(ref);
    const head = needs && hash !== undefined && isBlockHash(hash) ? this.headerOf(hash) : undefined;
    const header = head?.header as Readonly<Record<string, unknown>> | undefined;
    if (!header || !needs!.every((key) => header[key] !== undefined)) return undefined;
    operation.dependencies.addBlock(head!.hash, head!.height);
    return partialBlock(header);
  };

  /** The head's number, hash and parent hash. */
  async headRef(): Promise<ChainBlock> {
    const { pin } = this.#snapshot;
    pin.recordHeadRead();
    const { number, hash, parentHash } = await pin.head();
    return partialBlock({ number, hash, parentHash });
  }

  /** Loads the header of a block by hash. */
  async header(hash: Data): Promise<Pick<RpcBlock, 'baseFeePerGas'> | null> {
    return this.fromHeader(hash, ['baseFeePerGas']) ?? this.loader.load(hash, false);
  }

  /** The header of a block that the operation knows without a request. */
  readonly headerOf = (hash: Data): Head | undefined => {
    const { pin, operation, eventReads } = this.#snapshot;
    return pin.header(hash) ?? (operation.event && eventReads.header(hash));
  };

  /** Releases a block and its contents, so that they can be freed. */
  readonly release = (key: BlockKey, plan: BlockPlan): void => {
    const transactions = this.contentsOf(key.hash)?.block.transactions;
    this.#contents?.delete(String(key.hash).toLowerCase());
    this.#receiptsLoader?.clearAll();
    this.#logsLoader?.clearAll();
    this.loader.release(key);
    releaseBlockContents(key, plan, this.#snapshot, transactions);
  };

  /** The contents of a block; undefined when the operation has not loaded the block. */
  readonly contentsOf = (blockHash: Data | null | undefined): BlockContents | undefined =>
    blockHash ? this.#contents?.get(blockHash.toLowerCase()) : undefined;

  contentsIn(parent: RpcBlock): BlockContents {
    return this.contentsOf(parent.hash) ?? new BlockContents(parent, this);
  }

  /** Stores the contents of a loaded block. Replaces stored contents only if the block is loaded again with full transactions. */
  #storeContents(found: RpcBlock, plan: BlockPlan): BlockContents {
    const previous = this.contentsOf(found.hash);
    if (previous && (previous.block === found || !plan.full)) return previous;
    const stored = new BlockContents(found, this, previous);
    this.#contents ??= new Map();
    this.#contents.set(String(found.hash).toLowerCase(), stored);
    return stored;
  }

  /** The transactions of a block, full or by position; null for an ommer. */
  readonly transactionsIn = (parent: RpcBlock): readonly PartialTransaction[] | null => this.contentsIn(parent).transactions;

  /** Loads one transaction of a block; null when the index is out of bounds. */
  async transactionIn(parent: RpcBlock, index: Quantity, { full, receipt }: TransactionPlan): Promise<PartialTransaction | null> {
    const listed = this.transactionsIn(parent)?.[Number(index)] ?? null;
    if (!listed || !full || isFullTransaction(listed)) return listed;
    const { transactions } = this.#parts;
    if (receipt) Promise.resolve(transactions.receiptOf(listed)).catch(() => {});
    const found = await transactions.transactionAt({ blockHash: parent.hash, index, hash: listed.hash });
    if (found) return found;
    throw new GraphError('BLOCK_NOT_AVAILABLE', 'The node has the block, but not this transaction of it.');
  }

  /** Loads the receipts of a block; null for an ommer. */
  async receiptsIn(parent: RpcBlock): Promise<readonly RpcReceipt[] | null> {
    return parent.transactions ? this.contentsIn(parent).receipts : null;
  }

  /** Loads the logs of a block that match. */
  async logsIn(parent: RpcBlock, filter: LogFilter): Promise<readonly RpcLog[]> {
    checkTopics(filter);
    const contents = this.contentsIn(parent);
    // Without the receipts, nothing would prove the logs.
    if (this.#snapshot.operation.trust) await contents.receipts;
    return contents.logs(filter);
  }
}
