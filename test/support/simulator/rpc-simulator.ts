import { hex } from './chain.ts';
import type { SimBlock, SimChange, SimLog, SimView } from './view.ts';

/** What differs from node to node in how the chain is told. */
export interface Dialect {
  /** Which headers of a new branch are announced. geth tells the last, the seed's service all of them, ascending. */
  readonly heads: 'all' | 'last';
  /** `geth`: all fields; `hashless`: all but the hash; `seed`: the fields of the seed's service alone, which says `receiptRoot`. */
  readonly header: 'geth' | 'hashless' | 'seed';
  /** Whether the logs of blocks that a reorg removed are told again as removed. */
  readonly removedLogs: boolean;
}

export const GETH: Dialect = { heads: 'last', header: 'geth', removedLogs: true };

/** Every dialect, with names for tests. */
export const DIALECTS: readonly (readonly [name: string, dialect: Dialect])[] = (['all', 'last'] as const).flatMap((heads) =>
  (['geth', 'hashless', 'seed'] as const).map(
    (header) => [`${heads} heads, ${header} headers`, { heads, header, removedLogs: heads === 'last' }] as const,
  ),
);

const SEED_FIELDS =
  'difficulty extraData gasLimit gasUsed logsBloom miner nonce number parentHash sha3Uncles stateRoot timestamp transactionsRoot'.split(
    ' ',
  );

/** A header as a subscription tells it. */
export function announcementOf({ header }: SimBlock, dialect: Dialect): Record<string, string> {
  const { hash, ...rest } = header;
  if (dialect.header === 'geth') return { ...header };
  if (dialect.header === 'hashless') return rest;
  return Object.fromEntries([...SEED_FIELDS.map((name) => [name, header[name]!]), ['receiptRoot', header.receiptsRoot!]]);
}

/** The headers that a change announces, in the order in which they go out. */
export const announcementsOf = ({ added }: SimChange, dialect: Dialect): Record<string, string>[] =>
  (dialect.heads === 'all' ? added : added.slice(-1)).map((block) => announcementOf(block, dialect));

/** The logs that a change tells: removed blocks first and ascending, as geth has it, then the new ones. */
export const logsOf = ({ removed, added }: SimChange, dialect: Dialect): SimLog[] => [
  ...(dialect.removedLogs ? [...removed].reverse().flatMap(({ logs }) => logs.map((log) => ({ ...log, removed: true }))) : []),
  ...added.flatMap(({ logs }) => logs),
];

/** A block as `eth_getBlockBy*` tells it, with the hashes of its transactions. */
export const blockOf = ({ header, transactions }: SimBlock) => ({
  ...header,
  size: '0x220',
  transactions,
  uncles: [],
  withdrawals: [],
});

/** What everybody has at a block: it differs from block to block, as its state does. */
export const balanceAt = ({ header }: SimBlock): string => hex(Number.parseInt(header.stateRoot!.slice(2, 14), 16));

export interface SimLogFilter {
  readonly address?: string | readonly string[];
  readonly topics?: readonly (string | readonly string[] | null)[];
  readonly fromBlock?: string;
  readonly toBlock?: string;
  readonly blockHash?: string;
  readonly blockhash?: string;
}

/** What a node does with a name of the block hash in a log filter. geth reads both: names are equal there whatever their case. */
export type LogFilterNames = Readonly<Record<'blockHash' | 'blockhash', 'read' | 'ignored' | 'refused'>>;

/** A log filter as the node understands it. */
function normalizeFilter(filter: SimLogFilter, names: LogFilterNames): SimLogFilter {
  const { blockHash, blockhash, ...rest } = filter;
  for (const name of ['blockHash', 'blockhash'] as const) {
    if (filter[name] === undefined || names[name] === 'ignored') continue;
    if (names[name] === 'refused') throw new SimRpcError(-32602, `invalid argument 0: unknown field "${name}"`);
    return { ...rest, blockHash: filter[name] };
  }
  return rest;
}

/** Whether a log passes a filter, by the seed's rules. */
export const matchesWireFilter = (log: SimLog, { address, topics = [] }: SimLogFilter): boolean =>
  (address === undefined || [address].flat().some((one) => one.toLowerCase() === log.address)) &&
  topics.every((topic, i) => topic === null || [topic].flat().includes(log.topics[i]!));

export class SimRpcError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const TAGS: Readonly<Record<string, (head: number) => number>> = {
  latest: (head) => head,
  pending: (head) => head,
  safe: (head) => Math.max(0, head - 8),
  finalized: (head) => Math.max(0, head - 16),
  earliest: () => 0,
};

const resolveHeight = (view: SimView, ref: unknown): number => TAGS[String(ref)]?.(view.head.height) ?? Number(ref);

/** What a backend answers to a read; it knows no other blocks than those that it has imported. */
export function respondTo(
  view: SimView,
  blockByHash: (hash: string) => SimBlock | undefined,
  chainId: string,
  method: string,
  params: readonly any[],
  names: LogFilterNames = { blockHash: 'read', blockhash: 'read' },
): unknown {
  const known = (hash: unknown) => {
    const block = blockByHash(String(hash));
    return block && (!view.importedBlocks || view.importedBlocks.has(block)) ? block : undefined;
  };
  const orNull = (block: SimBlock | undefined) => (block ? blockOf(block) : null);
  switch (method) {
    case 'eth_chainId':
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
      return logsIn(view, known, normalizeFilter(params[0] ?? {}, names));
    default:
      throw new SimRpcError(-32601, `the method ${method} does not exist/is not available`);
  }
}

function logsIn(view: SimView, known: (hash: unknown) => SimBlock | undefined, filter: SimLogFilter): SimLog[] {
  if (filter.blockHash !== undefined) {
    const block = known(filter.blockHash);
    if (!block) throw new SimRpcError(-32000, 'unknown block');
    return block.logs.filter((log) => matchesWireFilter(log, filter));
  }
  const [from, to] = [resolveHeight(view, filter.fromBlock ?? 'latest'), resolveHeight(view, filter.toBlock ?? 'latest')];
  const blocks = Array.from({ length: Math.max(0, to - from + 1) }, (_none, i) => view.at(from + i));
  // A backend that has not come so far answers with what it has: silence, not an error.
  return blocks.flatMap((block) => block?.logs ?? []).filter((log) => matchesWireFilter(log, filter));
}
