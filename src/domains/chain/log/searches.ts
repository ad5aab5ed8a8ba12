import type { Data } from '../../../ethereum/hex.ts';
import type { RpcLog } from '../../../ethereum/rpc-types.ts';
import { addressTopic, TRANSFER_TOPIC, tokenTransferOf } from '../../../ethereum/tokens.ts';
import type { TokenTransfersArgs } from '../../../generated/chain.ts';
import { WindowedList, type WriteItems } from '../../../graphql/executor/list-writer.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import type { LoaderParts } from '../block/reads.ts';
import { bytesOfBlock, createUseCounter, MAX_WINDOW_BYTES, RECEIPT_BYTES, TRANSACTION_BYTES } from '../block/windows.ts';
import type { LogConnectionModel } from '../model.ts';
import { checkTopics, type LogCriteria } from './criteria.ts';
import { logCursorOf } from './cursor.ts';
import { logLoader } from './load.ts';
import { type LogPageKey, logPageLoader } from './load-connection.ts';
import type { LogPlan } from './plan.ts';
import { createProvenLogReads } from './proven-reads.ts';
import type { LogDensities } from './range-search.ts';
import { createLogReads } from './reads.ts';

/** Whether logs need data that is loaded in windows. */
const needsWindows = ({ block, full, receipt }: LogPlan): boolean => block !== undefined || full || receipt;

/**
 * Cuts logs, in order, into windows whose blocks and transactions have an expected size of at most `maxBytes`. A log
 * adds to the size of its window if its block or its transaction differs from the block or transaction of the previous
 * log.
 */
export function cutIntoWindows(logs: readonly RpcLog[], { block, full, receipt }: LogPlan, maxBytes = MAX_WINDOW_BYTES) {
  const blockBytes = block ? bytesOfBlock(block) : 0;
  const transactionBytes = (full ? TRANSACTION_BYTES : 0) + (receipt ? RECEIPT_BYTES : 0);
  const windows: RpcLog[][] = [];
  let window: RpcLog[] = [];
  let bytes = 0;
  for (const log of logs) {
    const previous = window.at(-1);
    const logBytes =
      (log.blockHash === previous?.blockHash ? 0 : blockBytes) +
      (log.transactionHash === previous?.transactionHash ? 0 : transactionBytes);
    if (previous && bytes + logBytes > maxBytes) {
      windows.push(window);
      window = [];
      bytes = blockBytes + transactionBytes;
    } else bytes += logBytes;
    window.push(log);
  }
  if (window.length > 0) windows.push(window);
  return windows;
}

/**
 * Creates the writer of the lists of logs of one operation whose blocks and transactions are loaded in windows. The
 * last list that needs a block or a transaction releases it: `release` receives its hash, and a log of it. A list of
 * one window releases nothing, because other fields of a small operation may need its blocks and transactions. The data
 * of a window is requested when the previous window is written and released.
 */
export function createLogWindows(release: (hash: Data, log: RpcLog, plan: LogPlan) => void) {
  /** Counts the windows that have not been written, by the hash of a block or a transaction in them. */
  const addUsers = createUseCounter<Data>();

  return async (logs: readonly RpcLog[], plan: LogPlan, write: WriteItems<RpcLog>): Promise<void> => {
    const windows = cutIntoWindows(logs, plan).map((window) => ({ window, entities: entitiesOf(window) }));
    for (const { entities } of windows) for (const hash of entities.keys()) addUsers(hash, 1);
    for (const { window, entities } of windows) {
      await write(window);
      for (const [hash, log] of entities) if (addUsers(hash, -1) === 0 && windows.length > 1) release(hash, log, plan);
    }
  };
}

/** The blocks and transactions of logs by their hashes, each with one of its logs. */
function entitiesOf(logs: readonly RpcLog[]): ReadonlyMap<Data, RpcLog> {
  const entities = new Map<Data, RpcLog>();
  for (const log of logs) {
    entities.set(log.transactionHash, log);
    if (log.blockHash) entities.set(log.blockHash, log);
  }
  return entities;
}

/** The log filter of transfers of a token. Trailing topics that match everything are left out: some nodes reject them. */
function transferCriteria(contract: Data, { fromBlock, toBlock, from, to }: TokenTransfersArgs): LogCriteria {
  const accounts = [from, to].map((account) => (account ? [addressTopic(account)] : []));
  const length = to ? 2 : from ? 1 : 0;
  return {
    addresses: [contract],
    topics: [[TRANSFER_TOPIC], ...accounts.slice(0, length)],
    fromBlock: fromBlock ?? '0x0',
    toBlock,
  };
}

/** Creates the log searches of one operation. Lists whose plan needs blocks and transactions are written in windows. */
export function createLogSearches(snapshot: Snapshot, parts: LoaderParts, densities: LogDensities, maxLogs: number) {
  const { trust } = snapshot.operation;
  const unproven = createLogReads(snapshot);
  const reads = trust ? createProvenLogReads(snapshot, parts.blocks, trust, unproven) : unproven;
  const writeWindows = createLogWindows((hash, { blockHash, blockNumber, transactionHash }, { block }) => {
    if (hash === transactionHash) parts.transactions.release(hash);
    else if (block) parts.blocks.release({ number: blockNumber!, hash: blockHash! }, block);
  });
  let loader: ReturnType<typeof logLoader> | undefined;
  let pages: ReturnType<typeof logPageLoader> | undefined;

  const loadPage = (key: LogPageKey) => {
    pages ??= logPageLoader(snapshot, reads, parts.finality, densities, maxLogs);
    return pages.load(key);
  };

  /**
   * A list of logs, or of objects that are created from logs; in windows if the plan needs their blocks or
   * transactions.
   */
  const inWindows = <T = RpcLog>(logs: readonly RpcLog[], plan: LogPlan, toItem?: (log: RpcLog) => T): readonly T[] => {
    const itemsOf = (window: readonly RpcLog[]) => (toItem ? window.map(toItem) : (window as readonly T[]));
    if (!needsWindows(plan)) return itemsOf(logs);
    return WindowedList.asArray<T>((write) => writeWindows(logs, plan, (window) => write(itemsOf(window))));
  };

  return {
    maxPageSize: maxLogs,

    /** Loads a page of the logs that match, without the data of their blocks and transactions. */
    page: loadPage,

    /** Loads the logs that match. */
    async list(criteria: LogCriteria, plan: LogPlan): Promise<readonly RpcLog[]> {
      checkTopics(criteria);
      loader ??= logLoader(snapshot, reads, parts.finality.blockOfTag, maxLogs);
      return inWindows(await loader.load(criteria), plan);
    },

    /** Loads a page of the logs that match. */
    async connection(key: LogPageKey, nodesPlan: LogPlan, edgesPlan: LogPlan): Promise<LogConnectionModel> {
      checkTopics(key.criteria);
      const { logs, pageInfo, searchedTo } = await loadPage(key);
      return {
        pageInfo,
        searchedTo,
        nodes: inWindows(logs, nodesPlan),
        edges: inWindows(logs, edgesPlan, (log) => ({ cursor: logCursorOf(log)!, node: log })),
      };
    },

    /** Loads a page of the transfers of a token. */
    async transfers(contract: Data, args: TokenTransfersArgs, nodesPlan: LogPlan, edgesPlan: LogPlan) {
      const { logs, pageInfo } = await loadPage({ criteria: transferCriteria(contract, args), args });
      const transfers = logs.map(tokenTransferOf).filter((transfer) => transfer !== undefined);
      const transfersByLog = new Map(transfers.map((transfer) => [transfer.log, transfer]));
      const transferLogs = transfers.map(({ log }) => log);
      const toTransfer = (log: RpcLog) => transfersByLog.get(log)!;
      return {
        pageInfo,
        nodes: inWindows(transferLogs, nodesPlan, toTransfer),
        edges: inWindows(transferLogs, edgesPlan, (log) => ({ cursor: logCursorOf(log)!, node: toTransfer(log) })),
        transfers,
      };
    },
  };
}

export type LogSearches = ReturnType<typeof createLogSearches>;
