import { receiptFixture } from '../upstream/rpc-fixtures.ts';
import type { Script, ScriptedCall } from '../upstream/scripted-node.ts';
import { hex, type SimChain, statusOf } from './chain.ts';
import type { SimBlock, SimChange, SimLog, SimView } from './view.ts';

/** Differences between the announcements of nodes. */
export interface Dialect {
  /** The announced headers of a new branch: `last` as geth, or `all` in ascending order. */
  readonly heads: 'all' | 'last';
  /**
   * `geth`: all fields; `hashless`: all but the hash; `service`: few fields and `receiptRoot`, as the node service of the devnet.
   */
  readonly header: 'geth' | 'hashless' | 'service';
  /** Whether the logs of removed blocks are emitted again with `removed: true`. */
  readonly removedLogs: boolean;
}

export const GETH: Dialect = { heads: 'last', header: 'geth', removedLogs: true };

/** All combinations of heads and headers, with names for test titles. */
export const DIALECTS: readonly (readonly [name: string, dialect: Dialect])[] = (['all', 'last'] as const).flatMap((heads) =>
  (['geth', 'hashless', 'service'] as const).map(
    (header) => [`${heads} heads, ${header} headers`, { heads, header, removedLogs: heads === 'last' }] as const,
  ),
);

const SERVICE_FIELDS =
  'difficulty extraData gasLimit gasUsed logsBloom miner nonce number parentHash sha3Uncles stateRoot timestamp transactionsRoot'.split(
    ' ',
  );

/** Returns a header as a subscription announces it. */
export function announcementOf({ header }: SimBlock, dialect: Dialect): Record<string, string> {
  const { hash, ...rest } = header;
  if (dialect.header === 'geth') return { ...header };
  if (dialect.header === 'hashless') return rest;
  return Object.fromEntries([...SERVICE_FIELDS.map((name) => [name, header[name]!]), ['receiptRoot', header.receiptsRoot!]]);
}

/** Returns the headers that a change announces, in order. */
export const announcementsOf = ({ added }: SimChange, dialect: Dialect): Record<string, string>[] =>
  (dialect.heads === 'all' ? added : added.slice(-1)).map((block) => announcementOf(block, dialect));

/** Returns the logs that a change announces: of removed blocks first, ascending as geth does, then of added blocks. */
export const logsOf = ({ removed, added }: SimChange, dialect: Dialect): SimLog[] => [
  ...(dialect.removedLogs ? [...removed].reverse().flatMap(({ logs }) => logs.map((log) => ({ ...log, removed: true }))) : []),
  ...added.flatMap(({ logs }) => logs),
];

/** Returns a block as `eth_getBlockBy*` does, with transaction hashes. */
export const blockOf = ({ header, transactions }: SimBlock) => ({
  ...header,
  size: '0x220',
  transactions,
  uncles: [],
  withdrawals: [],
});

/** Returns a receipt of a block. */
export const receiptOf = ({ hash: blockHash, height, transactions, blooms, logs }: SimBlock, transactionHash: string) => {
  const index = transactions.indexOf(transactionHash);
  return receiptFixture({
    transactionHash,
    blockHash,
    blockNumber: hex(height),
    transactionIndex: hex(index),
    status: statusOf(transactionHash),
    cumulativeGasUsed: hex(21_000 * (index + 1)),
    logsBloom: blooms[index],
    logs: logs.filter((log) => log.transactionHash === transactionHash),
  });
};

/** Returns the canonical block with a transaction. */
export function blockWith({ head }: Pick<SimView, 'head'>, transactionHash: string): SimBlock | undefined {
  let block: SimBlock | undefined = head;
  while (block && !block.transactions.includes(transactionHash)) block = block.parent;
  return block;
}

/** Returns the balance of every account at a block; it differs from block to block. */
export const balanceAt = ({ header }: SimBlock): string => hex(Number.parseInt(header.stateRoot!.slice(2, 14), 16));

export interface SimLogFilter {
  readonly address?: string | readonly string[];
  readonly topics?: readonly (string | readonly string[] | null)[];
  readonly fromBlock?: string;
  readonly toBlock?: string;
  readonly blockHash?: string;
  readonly blockhash?: string;
}

/** How a node treats each spelling of the block hash in a log filter. geth reads both because it ignores case. */
export type LogFilterNames = Readonly<Record<'blockHash' | 'blockhash', 'read' | 'ignored' | 'refused'>>;

/** Returns a log filter as the node interprets it. */
export function normalizeFilter(
  filter: SimLogFilter,
  names: LogFilterNames = { blockHash: 'read', blockhash: 'read' },
): SimLogFilter {
  const { blockHash, blockhash, ...rest } = filter;
  for (const name of ['blockHash', 'blockhash'] as const) {
    if (filter[name] === undefined || names[name] === 'ignored') continue;
    if (names[name] === 'refused') throw new SimRpcError(-32602, `invalid argument 0: unknown field "${name}"`);
    return { ...rest, blockHash: filter[name] };
  }
  return rest;
}

/** Returns whether a log matches a filter. */
export const matchesWireFilter = (log: SimLog, { address, topics = [] }: SimLogFilter): boolean =>
  (address === undefined || [address].flat().some((value) => value.toLowerCase() === log.address)) &&
  topics.every((topic, i) => topic === null || [topic].flat().includes(log.topics[i]!));

export class SimRpcError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export const methodNotFound = (method: string) => new SimRpcError(-32601, `the method ${method} does not exist/is not available`);

const TAGS: Readonly<Record<string, (head: number) => number>> = {
  latest: (head) => head,
  pending: (head) => head,
  safe: (head) => Math.max(0, head - 8),
  finalized: (head) => Math.max(0, head - 16),
  earliest: () => 0,
};

const resolveHeight = (view: SimView, ref: unknown): number => TAGS[String(ref)]?.(view.head.height) ?? Number(ref);

/** Differences between the reads of nodes. */
export interface SimNodeDialect {
  readonly logFilterNames: LogFilterNames;
  /** Whether `eth_getBlockReceipts` is supported. */
  readonly hasBlockReceipts: boolean;
}

/** Returns the result of a read from one backend, which only has the blocks that it has imported. */
export function respondTo(
  view: SimView,
  blockByHash: (hash: string) => SimBlock | undefined,
  chainId: string | null,
  method: string,
  params: readonly any[],
  { logFilterNames, hasBlockReceipts }: Partial<SimNodeDialect> = {},
): unknown {
  const known = (hash: unknown) => {
    const block = blockByHash(String(hash));
    return block && (!view.importedBlocks || view.importedBlocks.has(block)) ? block : undefined;
  };
  const orNull = (block: SimBlock | undefined) => (block ? blockOf(block) : null);
  switch (method) {
    case 'eth_chainId':
      if (chainId === null) throw new SimRpcError(-32000, 'the head block has no chain id');
      return chainId;
    case 'eth_blockNumber':
      return hex(view.head.height);
    case 'eth_getBlockByHash':
      return orNull(known(params[0]));
    case 'eth_getBlockByNumber':
      return orNull(view.at(resolveHeight(view, params[0])));
    case 'eth_getBalance': {
      const block = known(params[1]?.blockHash);
      if (!block) throw new SimRpcError(-32000, 'header not found');
      return balanceAt(block);
    }
    case 'eth_getLogs':
      return logsIn(view, known, normalizeFilter(params[0] ?? {}, logFilterNames));
    case 'eth_getBlockReceipts':
      if (!hasBlockReceipts) throw methodNotFound(method);
      return known(params[0])?.transactions.map((hash) => receiptOf(known(params[0])!, hash)) ?? null;
    case 'eth_getTransactionReceipt': {
      const block = blockWith(view, params[0]);
      return block ? receiptOf(block, params[0]) : null;
    }
    default:
      throw methodNotFound(method);
  }
}

/** Responds to calls over HTTP from this chain, whose id is 7. */
export const respondFrom =
  (chain: SimChain): Script =>
  ({ body }) => {
    const outcomeOf = ({ method, params }: ScriptedCall) => {
      try {
        return { result: respondTo(chain.main, (hash) => chain.block(hash), '0x7', method, params) };
      } catch {
        return { error: { code: -32601, message: 'the method does not exist' } };
      }
    };
    const entryOf = (call: ScriptedCall) => ({ jsonrpc: '2.0', id: call.id, ...outcomeOf(call) });
    return Array.isArray(body) ? body.map(entryOf) : entryOf(body as ScriptedCall);
  };

function logsIn(view: SimView, known: (hash: unknown) => SimBlock | undefined, filter: SimLogFilter): SimLog[] {
  if (filter.blockHash !== undefined) {
    const block = known(filter.blockHash);
    if (!block) throw new SimRpcError(-32000, 'unknown block');
    return block.logs.filter((log) => matchesWireFilter(log, filter));
  }
  const [from, to] = [resolveHeight(view, filter.fromBlock ?? 'latest'), resolveHeight(view, filter.toBlock ?? 'latest')];
  const blocks = Array.from({ length: Math.max(0, to - from + 1) }, (_none, i) => view.at(from + i));
  // A lagging backend returns the logs that it has, without an error.
  return blocks.flatMap((block) => block?.logs ?? []).filter((log) => matchesWireFilter(log, filter));
}
