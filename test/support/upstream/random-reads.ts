import { MAX_ANVIL_STATES } from '../../../devnet/src/anvil/history-pruner.ts';
import type { RpcLog, RpcReceipt } from '../../../src/ethereum/rpc-types.ts';
import { type ChainRecorder, hex, type RecordedBlock, type RecordedBranch } from './chain-recorder.ts';

/** A response of the graph. */
export interface ReadResponse {
  readonly data?: any;
  readonly errors?: readonly { readonly message: string; readonly extensions: { readonly code: string } }[];
  readonly extensions?: { readonly block?: { readonly number: string; readonly hash: string } };
}

/** The chains against which a response is checked. */
export interface ReadContext {
  /** The chain that the response names, or may be from. */
  readonly from: RecordedBranch;
  /** The node's chain before the request and after the response; equal when nothing changed and the graph was up to date. */
  readonly before: RecordedBranch;
  readonly after: RecordedBranch;
}

/** A query and its valid responses: one, unless the chain changed meanwhile. */
export interface RandomRead {
  readonly title: string;
  readonly query: string;
  readonly variables: Record<string, unknown>;
  /** The pinned block, if any. */
  readonly at: string | undefined;
  readonly expectedResults: (found: ReadContext) => readonly unknown[];
  /** Whether the query reads a removed block, which the node no longer has, so that an error is valid. */
  readonly mayBeUnavailable?: (now: RecordedBranch) => boolean;
}

type BlockSelection = readonly [text: string, of: (entry: RecordedBlock, found: ReadContext) => object];

const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const isTransfer = ({ topics }: RpcLog) => topics[0] === TRANSFER_TOPIC;

const LOG = 'index data transactionHash';
const logOf = (log: RpcLog) => ({ index: log.logIndex, data: log.data, transactionHash: log.transactionHash });
const logsOf = ({ receipts }: RecordedBlock) => receipts.flatMap(({ logs }) => logs);

const TRANSACTION = 'hash value nonce index status cumulativeGasUsed';
const transactionIn = ({ block, receipts }: RecordedBlock, i: number) => {
  const { hash, value, nonce, transactionIndex } = block.transactions[i]!;
  const { status, cumulativeGasUsed } = receipts[i]!;
  return { hash, value, nonce, index: transactionIndex, status, cumulativeGasUsed };
};

const RECEIPT = `gasUsed logs { ${LOG} }`;
const receiptOf = ({ gasUsed, logs }: RpcReceipt) => ({ gasUsed, logs: logs.map(logOf) });

const hashesOf = ({ block }: RecordedBlock) => block.transactions.map(({ hash }) => ({ hash }));

const confirmationsOf = (entry: RecordedBlock, { from }: ReadContext) =>
  from.has(entry) ? hex(from.head.height - entry.height + 1) : null;

/** Selections of a block. */
const BLOCK_SELECTIONS: readonly BlockSelection[] = [
  ['timestamp stateRoot gasUsed', ({ block: { timestamp, stateRoot, gasUsed } }) => ({ timestamp, stateRoot, gasUsed })],
  [
    'parentHash parent { number }',
    ({ block, height }) => ({ parentHash: block.parentHash, parent: height === 0 ? null : { number: hex(height - 1) } }),
  ],
  ['size', ({ block }) => ({ size: block.size })],
  ['transactionCount', ({ block }) => ({ transactionCount: hex(block.transactions.length) })],
  ['confirmations', (entry, found) => ({ confirmations: confirmationsOf(entry, found) })],
  ['transactions { hash }', (entry) => ({ transactions: hashesOf(entry) })],
  [
    `transactions { ${TRANSACTION} }`,
    (entry) => ({ transactions: entry.receipts.map((_receipt, i) => transactionIn(entry, i)) }),
  ],
  [`receipts { ${RECEIPT} }`, ({ receipts }) => ({ receipts: receipts.map(receiptOf) })],
  [`logs(filter: {}) { ${LOG} }`, (entry) => ({ logs: logsOf(entry).map(logOf) })],
  [
    `logs(filter: { topics: [["${TRANSFER_TOPIC}"]] }) { ${LOG} }`,
    (entry) => ({ logs: logsOf(entry).filter(isTransfer).map(logOf) }),
  ],
];

/** Selections of a range of blocks. */
const RANGE_SELECTIONS: readonly BlockSelection[] = [
  ['number hash', ({ block: { number, hash } }) => ({ number, hash })],
  ['hash transactions { hash }', (entry) => ({ hash: entry.hash, transactions: hashesOf(entry) })],
  [`number receipts { ${RECEIPT} }`, ({ block, receipts }) => ({ number: block.number, receipts: receipts.map(receiptOf) })],
];

/** Selections of a transaction, mined or pending. */
const TRANSACTION_SELECTIONS: readonly [
  text: string,
  of: (entry: RecordedBlock, i: number, found: ReadContext) => object,
  pending: object,
][] = [
  ['status', ({ receipts }, i) => ({ status: receipts[i]!.status }), { status: null }],
  [
    'index cumulativeGasUsed blockHash confirmations',
    (entry, i, found) => {
      const { index, cumulativeGasUsed } = transactionIn(entry, i);
      return { index, cumulativeGasUsed, blockHash: entry.hash, confirmations: confirmationsOf(entry, found) };
    },
    { index: null, cumulativeGasUsed: null, blockHash: null, confirmations: null },
  ],
  [
    'type block { number hash timestamp }',
    ({ block: { number, hash, timestamp } }) => ({ type: '0x2', block: { number, hash, timestamp } }),
    { type: '0x2', block: null },
  ],
];

const RECEIPT_SELECTIONS: readonly [text: string, of: (entry: RecordedBlock, i: number) => object][] = [
  [
    'status blockNumber blockHash',
    ({ receipts }, i) => {
      const { status, blockNumber, blockHash } = receipts[i]!;
      return { status, blockNumber, blockHash };
    },
  ],
  [RECEIPT, ({ receipts }, i) => receiptOf(receipts[i]!)],
];

const ACCOUNT_SELECTIONS = ['balance', 'transactionCount', 'balance transactionCount'];

/** Generates a query about current or former data of the recorder. */
export function randomRead(ledger: ChainRecorder, draw: () => number): RandomRead {
  const below = (n: number) => Math.floor(draw() * n);
  const one = <T>(of: readonly T[]): T => of[below(of.length)]!;
  const line = ledger.branch(ledger.head.hash);
  const top = ledger.head.height;
  // The embedded node stores the states of its last blocks, removed ones included.
  const oldest = ledger.blocks.at(-(MAX_ANVIL_STATES - 50))?.height ?? 1;
  /** Mostly one of the last blocks, sometimes above the head. */
  const height = () => (draw() < 0.8 ? Math.max(1, top + 2 - below(14)) : oldest + below(top - oldest + 1));
  const someHash = () => one(draw() < 0.7 ? ledger.transactions.slice(-40) : ledger.transactions);
  const head = draw() < 0.15 ? line.at(Math.max(1, top - below(12))) : undefined;
  const at = head && (draw() < 0.5 ? head.hash : hex(head.height));

  /** Selections of a block that can be combined. */
  const parts = (): BlockSelection => {
    const chosen = new Map<string, BlockSelection>();
    for (let i = 1 + below(3); i > 0; i--) {
      const part = one(BLOCK_SELECTIONS);
      chosen.set(part[0].split(/\W/)[0]!, part);
    }
    if (draw() < 0.3) {
      const address = one(ledger.addresses);
      const text = one(ACCOUNT_SELECTIONS);
      chosen.set('account', [
        `account(address: "${address}") { ${text} }`,
        (entry) => ({ account: accountState(entry, address, text) }),
      ]);
    }
    const all = [...chosen.values()];
    return [
      `number hash ${all.map(([text]) => text).join(' ')}`,
      (entry, found) => Object.assign({ number: hex(entry.height), hash: entry.hash }, ...all.map(([, of]) => of(entry, found))),
    ];
  };

  const kinds: (() => Omit<RandomRead, 'at'>)[] = [
    () => {
      const n = height();
      const [text, of] = parts();
      return {
        title: `block by height: ${text}`,
        query: `query ($n: Long) { block(number: $n) { ${text} } }`,
        variables: { n },
        expectedResults: (found) => placed(n, found).map((entry) => ({ block: entry ? of(entry, found) : null })),
      };
    },
    () => {
      const [text, of] = parts();
      const requested = draw() < 0.7 ? (line.at(height()) ?? ledger.head) : one(ledger.blocks.slice(-40));
      const mayBeUnavailable = (now: RecordedBranch) => !now.has(requested);
      return {
        title: `block by hash: ${text}`,
        query: `query ($h: Bytes32) { block(hash: $h) { ${text} } }`,
        variables: { h: requested.hash },
        // The graph may return a removed block from its cache.
        expectedResults: (found) => [
          { block: of(requested, found) },
          ...([found.before, found.after].some(mayBeUnavailable) ? [{ block: null }] : []),
        ],
        mayBeUnavailable,
      };
    },
    () => {
      const [text, of] = parts();
      return {
        title: `head: ${text}`,
        query: draw() < 0.5 ? `{ block { ${text} } }` : `{ block(tag: LATEST) { ${text} } }`,
        variables: {},
        expectedResults: (found) => [{ block: of(found.from.head, found) }],
      };
    },
    () => {
      const from = height();
      const to = from + below(6);
      const [text, of] = one(RANGE_SELECTIONS);
      return {
        title: `blocks: ${text}`,
        query: `query ($a: Long, $b: Long) { blocks(from: $a, to: $b) { ${text} } }`,
        variables: { a: from, b: to },
        expectedResults: (found) => [{ blocks: found.from.between(from, to).map((entry) => of(entry, found)) }],
      };
    },
    () => {
      const h = someHash();
      const [text, of, pending] = one(TRANSACTION_SELECTIONS);
      return {
        title: `transaction: ${text}`,
        query: `query ($h: Bytes32!) { transaction(hash: $h) { hash ${text} } }`,
        variables: { h },
        expectedResults: (found) =>
          lying(h, found).flatMap((entry): unknown[] =>
            entry
              ? [{ transaction: { hash: h, ...of(entry, indexOf(entry, h), found) } }]
              : [{ transaction: null }, ...(hasMoved(found) ? [{ transaction: { hash: h, ...pending } }] : [])],
          ),
      };
    },
    () => {
      const h = someHash();
      const [text, of] = one(RECEIPT_SELECTIONS);
      return {
        title: `receipt: ${text}`,
        query: `query ($h: Bytes32!) { receipt(hash: $h) { ${text} } }`,
        variables: { h },
        expectedResults: (found) => lying(h, found).map((entry) => ({ receipt: entry ? of(entry, indexOf(entry, h)) : null })),
      };
    },
    () => {
      const fromBlock = height();
      const toBlock = draw() < 0.3 ? undefined : fromBlock + below(10);
      const topics = draw() < 0.3 ? [[TRANSFER_TOPIC]] : [];
      return {
        title: 'logs of a range',
        query: `query ($f: FilterCriteria!) { logs(filter: $f) { blockHash ${LOG} } }`,
        variables: { f: { fromBlock, topics, ...(toBlock !== undefined && { toBlock }) } },
        expectedResults: ({ from }) => [{ logs: found(from.between(fromBlock, toBlock ?? from.head.height), topics.length > 0) }],
      };
    },
    () => {
      const entry = line.at(height()) ?? ledger.head;
      return {
        title: 'logs of a block by hash',
        query: `query ($f: FilterCriteria!) { logs(filter: $f) { blockHash ${LOG} } }`,
        variables: { f: { blockHash: entry.hash } },
        expectedResults: () => [{ logs: found([entry], false) }],
        mayBeUnavailable: (now) => !now.has(entry),
      };
    },
    () => {
      const address = one(ledger.addresses);
      const text = one(ACCOUNT_SELECTIONS);
      return {
        title: `account at the head: ${text}`,
        query: `query ($a: Address!) { account(address: $a) { ${text} } }`,
        variables: { a: address },
        expectedResults: ({ from }) => [{ account: accountState(from.head, address, text) }],
      };
    },
  ];
  return { ...one(kinds)(), at };

  function found(entries: readonly RecordedBlock[], onlyTransfers: boolean) {
    const logs = entries.flatMap(logsOf).filter((log) => !onlyTransfers || isTransfer(log));
    return logs.map((log) => ({ blockHash: log.blockHash, ...logOf(log) }));
  }

  /** The blocks that a height may have: of the response's chain, or above its head of any moment of the request. */
  function placed(n: number, { from, before, after }: ReadContext): (RecordedBlock | null)[] {
    if (n <= from.head.height) return [from.at(n)!];
    return [...new Set([before, after].map((branch) => branch.at(n) ?? null)), ...(before === after ? [] : [null])];
  }

  /** The possible blocks of a transaction; null if the node may have had none during the request. */
  function lying(h: string, { from, before, after }: ReadContext): (RecordedBlock | null)[] {
    const [old, young] = [before.find(h) ?? null, after.find(h) ?? null];
    const above = [old, young].filter((entry) => entry && entry.height > from.head.height);
    const lost = old === young && young !== null ? [] : [null];
    return [...new Set([from.find(h) ?? null, ...above, ...lost])].filter((entry) => entry || old === null || lost.length > 0);
  }
}

const hasMoved = ({ before, after }: ReadContext): boolean => before !== after;

const indexOf = ({ block }: RecordedBlock, h: string): number => block.transactions.findIndex(({ hash }) => hash === h);

function accountState({ accounts }: RecordedBlock, address: string, text: string): object {
  const state = accounts.get(address)! as Record<string, string>;
  return Object.fromEntries(text.split(' ').map((field) => [field, state[field]]));
}
