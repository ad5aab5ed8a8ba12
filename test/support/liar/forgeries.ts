import { keccakOfDigits } from '../../../src/ethereum/encoding/keccak.ts';
import { encodeTransaction } from '../../../src/ethereum/encoding/transaction.ts';
import { bloomOf } from '../ethereum/logs-bloom.ts';
import type { RandomChoices } from '../random-choices.ts';
import { addressOf, EMPTY_ROOT, hashOf } from '../upstream/rpc-fixtures.ts';
import type { Call, Forge } from './node.ts';
import { hashOfHeader, type Respond, readFrom, SENDERS } from './world.ts';

type Item = Record<string, any>;

/** What a forgery changes: one block, a transaction and a log in it, and a slot of an account. */
export interface Target {
  readonly block: Item;
  readonly logs: readonly Item[];
  /** Index of the transaction. */
  readonly transaction: number;
  /** Index of the log. */
  readonly log: number;
  readonly account: string;
  readonly slot: string;
}

export interface ForgeryContext extends Target {
  readonly honest: Respond;
  /** Whether the forgery also changes what follows from the changed value: indexes, blooms of receipts, hashes. */
  readonly isThorough: boolean;
  /** A random number. */
  readonly salt: number;
}

/** Returns the forged result of a call; may change the given one. */
type Forgery = (call: Call, result: any, context: ForgeryContext) => unknown;

type Change = (item: Item, context: ForgeryContext) => object;

const hex = (n: number | bigint): string => `0x${n.toString(16)}`;
const plus = (quantity: string, n: number): string => hex(BigInt(quantity) + BigInt(n));
const more = (quantity: string, { salt }: ForgeryContext): string => plus(quantity, 1 + salt);
const next = (at: number, list: { readonly length: number }): number => (at + 1) % list.length;

/** The parts of a result that belong to the block of the target. */
function partsOf({ method }: Call, result: any, { block }: Target) {
  const isOwn = (one: any): boolean => one?.blockHash === block.hash;
  const receiptLists: Item[][] = method === 'eth_getBlockReceipts' && result?.some(isOwn) ? [result] : [];
  const receipts: Item[] = method === 'eth_getTransactionReceipt' && isOwn(result) ? [result] : receiptLists.flat();
  const blocks: Item[] = result?.hash === block.hash && result.stateRoot ? [result] : [];
  const transactionLists: any[][] = blocks.flatMap(({ transactions }) => (transactions ? [transactions] : []));
  const whole: Item[] = transactionLists.flat().filter((one) => typeof one === 'object');
  const transactions = /^eth_getTransactionBy/.test(method) && isOwn(result) ? [result] : whole;
  const logs: Item[][] = method === 'eth_getLogs' && result.some(isOwn) ? [result] : receipts.map((receipt) => receipt.logs);
  return { logs, receiptLists, receipts, transactionLists, transactions, blocks };
}
type Parts = ReturnType<typeof partsOf>;

const edit =
  (change: (parts: Parts, context: ForgeryContext) => void): Forgery =>
  (call, result, context) => {
    change(partsOf(call, result, context), context);
    return result;
  };

/** Changes the log of the target, wherever it is. */
const eachLog = (change: (log: Item, context: ForgeryContext, list: Item[], at: number) => object | undefined) =>
  edit(({ logs, receipts }, context) => {
    for (const list of logs) {
      const at = list.findIndex((log) => log.blockHash === context.block.hash && Number(log.logIndex) === context.log);
      if (at >= 0) Object.assign(list[at]!, change(list[at]!, context, list, at));
      // Only receipts have all logs of their transactions.
      if (context.isThorough) for (const one of receipts) one.logsBloom = bloomOf(one.logs);
    }
  });

/** Removes or adds a log. A thorough forgery renumbers the following logs, except in results that lack the log. */
const resizeLogs =
  (by: 1 | -1, indexOf: (context: ForgeryContext) => number = ({ log }) => log): Forgery =>
  (call, result, given) => {
    const context = { ...given, log: indexOf(given) };
    if (given.isThorough)
      for (const log of partsOf(call, result, given).logs.flat())
        if (log.blockHash === given.block.hash && Number(log.logIndex) > context.log) log.logIndex = plus(log.logIndex, by);
    const resize = eachLog((log, { salt }, list, at) => {
      if (by > 0) list.splice(at + 1, 0, { ...log, data: hashOf(salt), logIndex: plus(log.logIndex, 1) });
      else list.splice(at, 1);
      return undefined;
    });
    return resize(call, result, context);
  };

/** The index of a log whose bits other logs of its transaction have. */
const hiddenLog = ({ logs }: ForgeryContext): number => {
  const values = ({ address, topics }: Item): string[] => [address, ...topics];
  const others = (log: Item) => logs.filter((one) => one !== log && one.transactionHash === log.transactionHash);
  return logs.findIndex((log) => values(log).every((value) => others(log).flatMap(values).includes(value)));
};

const moveLog = edit(({ logs: lists, receiptLists }, { block, logs, log }) => {
  const { logIndex, transactionIndex } = logs[log]!;
  const to = next(Number(transactionIndex), block.transactions);
  const place = { transactionIndex: hex(to), transactionHash: block.transactions[to].hash };
  for (const list of lists)
    for (const one of list.filter((item) => item.blockHash === block.hash && item.logIndex === logIndex)) {
      Object.assign(one, place);
      if (receiptLists.length > 0) receiptLists[0]![to]!.logs.unshift(...list.splice(list.indexOf(one), 1));
    }
});

const swapReceipts = edit(({ receiptLists: [list] }, { transaction, isThorough }) => {
  if (!list) return;
  const pair = [transaction, next(transaction, list)] as const;
  const [a, b] = pair.map((at) => list[at]!) as [Item, Item];
  const places = [a, b].map(({ transactionHash, transactionIndex }) => ({ transactionHash, transactionIndex }));
  [list[pair[0]], list[pair[1]]] = [b, a];
  if (isThorough)
    for (const [i, receipt] of [b, a].entries()) for (const one of [receipt, ...receipt.logs]) Object.assign(one, places[i]);
});

/** Changes the receipt or the transaction of the target, wherever it is. */
const changeIn = (part: 'receipts' | 'transactions') => (change: Change) =>
  edit((parts, context) => {
    for (const one of parts[part])
      if (Number(one.transactionIndex) === context.transaction) Object.assign(one, change(one, context));
  });
const changeReceipt = changeIn('receipts');
const changeTransaction = changeIn('transactions');

const changeList = (change: (list: any[], context: ForgeryContext) => void) =>
  edit(({ transactionLists }, context) => {
    for (const list of transactionLists) {
      change(list, context);
      if (context.isThorough) for (const [i, one] of list.entries()) if (one.hash) one.transactionIndex = hex(i);
    }
  });

const changeBlock = (change: Change) =>
  edit(({ blocks }, context) => {
    for (const block of blocks) Object.assign(block, change(block, context));
  });

/** Changes the header, and sets the hash of the block, wherever it is, to the hash of the changed header. */
const rehashHeader =
  (change: Change): Forgery =>
  (_call, result, context) => {
    const { block } = context;
    const changes = change(block, context);
    const forged = JSON.parse(JSON.stringify(result).replaceAll(block.hash, hashOfHeader({ ...block, ...changes })));
    return result?.hash === block.hash && result.stateRoot ? { ...forged, ...changes } : forged;
  };

/** Changes the value of the transaction, and sets its hash, wherever it is, to the hash of the changed transaction. */
const rehashTransaction: Forgery = (_call, result, { block, transaction }) => {
  const honest = block.transactions[transaction];
  const changes = { value: plus(honest.value, 1) };
  const hash = keccakOfDigits(encodeTransaction({ ...honest, ...changes })!);
  const forged = JSON.parse(JSON.stringify(result).replaceAll(honest.hash, hash));
  for (const one of [forged, ...(forged?.transactions ?? [])]) if (one?.hash === hash && one.input) Object.assign(one, changes);
  return forged;
};

const anotherBlock: Forgery = async (_call, result, { block, honest, isThorough }) => {
  if (result?.hash !== block.hash || !result.transactions) return result;
  const isFull = typeof result.transactions[0] === 'object';
  const other = await readFrom(honest, 'eth_getBlockByNumber', hex(Number(block.number) - 1), isFull);
  return isThorough ? { ...other, number: block.number } : other;
};

const ownCall = (pattern: RegExp, { method, params }: Call, keys: readonly string[]): boolean =>
  pattern.test(method) && keys.includes(String(params[0]).toLowerCase());

const changeOmmer: Forgery = (call, result, { block, isThorough }) => {
  if (!ownCall(/^eth_getUncleBy/, call, [block.hash, block.number])) return result;
  const forged = { ...result, timestamp: plus(result.timestamp, 1) };
  return isThorough ? { ...forged, hash: hashOfHeader(forged) } : forged;
};

const changeCounts: Forgery = (call, result, { block }) =>
  ownCall(/^eth_get(Uncle|BlockTransaction)Count/, call, [block.hash, block.number]) ? plus(result, 1) : result;

/** Changes the logs of a range. */
const changeRange =
  (change: (logs: readonly Item[], context: ForgeryContext) => readonly Item[]): Forgery =>
  ({ method, params }, result, context) =>
    method === 'eth_getLogs' && !params[0].blockHash ? change(result, context) : result;

const STATE_METHODS = /^eth_get(Balance|TransactionCount|Code|StorageAt|Proof)$/;

/** Changes the plain read of a value of the account, and the same value beside its unchanged proof. */
const changeState =
  (method: string, field: string): Forgery =>
  (call, result, context) => {
    if (!ownCall(STATE_METHODS, call, [context.account])) return result;
    if (call.method === method) return more(result, context);
    return call.method === 'eth_getProof' ? { ...result, [field]: more(result[field], context) } : result;
  };
const changeBalance = changeState('eth_getBalance', 'balance');
const changeCode: Forgery = async (call, result, { account, honest }) => {
  if (!ownCall(/^eth_get(Code|Proof)$/, call, [account])) return result;
  if (call.method === 'eth_getCode') return `${result}00`;
  const code = await readFrom(honest, 'eth_getCode', account, call.params.at(-1));
  return { ...result, codeHash: keccakOfDigits(`${code.slice(2)}00`) };
};
const changeStorage: Forgery = (call, result, context) => {
  if (!ownCall(/^eth_get(StorageAt|Proof)$/, call, [context.account])) return result;
  if (call.method === 'eth_getStorageAt') return hashOf(Number(result) + 1 + context.salt);
  return { ...result, storageProof: result.storageProof.map((one: Item) => ({ ...one, value: more(one.value, context) })) };
};

/** Returns the state of the account at the parent of the block, or of another account, with its valid proof. */
const stateOf =
  (elsewhere: (call: Call, context: ForgeryContext) => readonly unknown[]): Forgery =>
  async (call, result, context) => {
    if (!ownCall(STATE_METHODS, call, [context.account])) return result;
    const other = await readFrom(context.honest, call.method, ...elsewhere(call, context));
    return call.method === 'eth_getProof' ? { ...other, address: result.address } : (other ?? result);
  };

/** An account without transactions, with a proof that is incomplete or belongs to the account. */
const absentAccount: Forgery = (call, result, context) => {
  if (!ownCall(STATE_METHODS, call, [context.account])) return result;
  const empty = { balance: '0x0', nonce: '0x0', codeHash: keccakOfDigits(''), storageHash: EMPTY_ROOT };
  const reads: Item = { eth_getCode: '0x', eth_getStorageAt: hashOf(0) };
  if (call.method !== 'eth_getProof') return reads[call.method] ?? '0x0';
  return { ...result, ...empty, accountProof: context.isThorough ? result.accountProof.slice(0, -1) : result.accountProof };
};

const HEADER_CHANGES: Readonly<Record<string, Change>> = {
  timestamp: ({ timestamp }, context) => ({ timestamp: more(timestamp, context) }),
  stateRoot: (_header, { salt }) => ({ stateRoot: hashOf(salt) }),
  gasUsed: ({ gasUsed }, context) => ({ gasUsed: more(gasUsed, context) }),
  miner: (_header, { salt }) => ({ miner: addressOf(0xbad + salt) }),
};

type ChangedValue = (value: string | undefined, context: ForgeryContext) => string;
const quantity: ChangedValue = (value, context) => more(value ?? '0x0', context);
const address: ChangedValue = (_value, { salt }) => addressOf(salt + 1);

/** Changes or adds each of these fields. */
const fields = (
  kind: string,
  names: string,
  forgeryOf: (change: Change) => Forgery,
  changed: ChangedValue,
): [string, Forgery][] =>
  names.split(' ').map((name) => [`${kind}: ${name}`, forgeryOf((one, context) => ({ [name]: changed(one[name], context) }))]);

/** Every kind of forgery. */
export const FORGERIES: ReadonlyMap<string, Forgery> = new Map<string, Forgery>([
  ['log: first missing', resizeLogs(-1, () => 0)],
  ['log: middle missing', resizeLogs(-1, ({ logs }) => logs.length >> 1)],
  ['log: last missing', resizeLogs(-1, ({ logs }) => logs.length - 1)],
  ['log: bloom-hidden missing', resizeLogs(-1, hiddenLog)],
  ['log: added', resizeLogs(1)],
  ['log: moved to another transaction', moveLog],
  ['log: last topic', eachLog(({ topics }, { salt }) => ({ topics: [...topics.slice(0, -1), hashOf(salt)] }))],
  ['log: topic of another log', eachLog((_log, { logs, log }) => ({ topics: logs[next(log, logs)]!.topics }))],
  ['log: data', eachLog((_log, { salt }) => ({ data: hashOf(salt) }))],
  ['log: address', eachLog((_log, { salt }) => ({ address: addressOf(salt + 1) }))],
  ['log: index', eachLog(({ logIndex }) => ({ logIndex: plus(logIndex, 100) }))],
  ['logs: range shorter by a block', changeRange((logs, { block }) => logs.filter(({ blockHash }) => blockHash !== block.hash))],
  ['logs: range truncated', changeRange((logs) => logs.slice(0, logs.length >> 1))],
  ['receipt: missing', edit(({ receiptLists }, { transaction }) => void receiptLists[0]?.splice(transaction, 1))],
  ['receipt: swapped', swapReceipts],
  ['receipt: status', changeReceipt(({ status }) => ({ status: status === '0x1' ? '0x0' : '0x1' }))],
  ['receipt: root', changeReceipt((_one, { salt }) => ({ root: hashOf(salt) }))],
  ['receipt: type', changeReceipt(({ type }) => ({ type: type === '0x1' ? '0x2' : '0x1' }))],
  ['receipt: logsBloom', changeReceipt(({ logsBloom }) => ({ logsBloom: logsBloom.replace(/0(?=[^0]*$)/, '1') }))],
  ...fields('receipt', 'cumulativeGasUsed gasUsed effectiveGasPrice blobGasUsed', changeReceipt, quantity),
  ...fields('receipt', 'from to contractAddress', changeReceipt, address),
  ...fields(
    'transaction',
    'value nonce gas r s v yParity gasPrice maxPriorityFeePerGas maxFeePerBlobGas chainId',
    changeTransaction,
    quantity,
  ),
  ...fields('transaction', 'from to', changeTransaction, address),
  ['transaction: input', changeTransaction((_one, { salt }) => ({ input: hashOf(salt) }))],
  [
    'transaction: accessList',
    changeTransaction((_one, { account, slot }) => ({ accessList: [{ address: account, storageKeys: [slot, slot] }] })),
  ],
  ['transaction: blobVersionedHashes', changeTransaction((_one, { salt }) => ({ blobVersionedHashes: [hashOf(salt)] }))],
  ['transaction: value with a new hash', rehashTransaction],
  [
    'transaction: order',
    changeList((list, { transaction }) => list.splice(next(transaction, list), 0, ...list.splice(transaction, 1))),
  ],
  ['transaction: missing', changeList((list, { transaction }) => list.splice(transaction, 1))],
  ['transaction: last missing', changeList((list) => list.pop())],
  [
    'transaction: added',
    changeList((list, { salt }) =>
      list.push(typeof list[0] === 'string' ? hashOf(salt) : { ...list.at(-1), hash: hashOf(salt) }),
    ),
  ],
  ...Object.entries(HEADER_CHANGES).flatMap(([name, change]): [string, Forgery][] => [
    [`header: ${name}`, changeBlock(change)],
    [`header: ${name} with a new hash`, rehashHeader(change)],
  ]),
  ['header: logsBloom', changeBlock(() => ({ logsBloom: `0x${'0'.repeat(512)}` }))],
  ...fields('block', 'size totalDifficulty', changeBlock, quantity),
  ['block: of another height', anotherBlock],
  ['block: counts', changeCounts],
  [
    'withdrawal: amount',
    changeBlock(({ withdrawals = [] }) => ({ withdrawals: withdrawals.map((one: Item) => ({ ...one, amount: '0x9' })) })),
  ],
  ['withdrawal: missing', changeBlock(({ withdrawals = [] }) => ({ withdrawals: withdrawals.slice(1) }))],
  ['ommer: changed', changeOmmer],
  ['ommer: added', changeBlock(({ uncles }, { salt }) => (uncles ? { uncles: [...uncles, hashOf(salt)] } : {}))],
  ['ommer: hash', changeBlock(({ uncles }, { salt }) => (uncles ? { uncles: uncles.map(() => hashOf(salt)) } : {}))],
  ['state: balance', changeBalance],
  ['state: nonce', changeState('eth_getTransactionCount', 'nonce')],
  ['state: code', changeCode],
  ['state: storage', changeStorage],
  ['state: of another block', stateOf(({ params }, { block }) => [...params.slice(0, -1), hex(Number(block.number) - 1)])],
  ['state: of another account', stateOf(({ params }) => [SENDERS[7], ...params.slice(1)])],
  [
    'state: without proof',
    (call, result, context) => {
      const forged = changeBalance(call, result, context);
      return forged !== result && call.method === 'eth_getProof' ? { ...(forged as Item), accountProof: [] } : forged;
    },
  ],
  ['state: absent account', absentAccount],
]);

/** Returns the function with which a liar forges the results of a chain. */
export const forgeWith =
  (kind: string, context: ForgeryContext): Forge =>
  (call, result) =>
    FORGERIES.get(kind)!(call, result, context);

/** Chooses a target in a block; the account is one whose state the block changes. */
export async function targetIn(honest: Respond, ref: string, draw: RandomChoices, storageContract: string): Promise<Target> {
  const block = await readFrom(honest, ref.length === 66 ? 'eth_getBlockByHash' : 'eth_getBlockByNumber', ref, true);
  const receipts: Item[] = await readFrom(honest, 'eth_getBlockReceipts', block.hash);
  const logs = receipts.flatMap((receipt) => receipt.logs);
  return {
    ...{ block, logs, transaction: draw.below(receipts.length), log: draw.below(logs.length) },
    ...{ account: draw.pick([storageContract, ...SENDERS.slice(1, 6)]), slot: hashOf(draw.below(2)) },
  };
}
