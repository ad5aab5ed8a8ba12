import { keccak256, Transaction } from 'ethers';
import type { Comparison } from '../../external/nodes/comparisons.ts';
import { hex } from '../../support/graph/expected-values.ts';
import type { RunningGraph } from '../../support/graph/running-graph.ts';
import { encodeBlockBody, encodeBlockHeader, encodeTypedReceipt, trieRoot } from '../../support/upstream/encodings.ts';
import { type ForkHistory, WORD } from './history.ts';

/** Calls the chain. */
export type CallNode = <T = any>(method: string, ...params: unknown[]) => Promise<T>;

async function execute(graph: RunningGraph, query: string, variables?: Record<string, unknown>): Promise<any> {
  const { data, errors } = await graph.execute(query, variables);
  if (errors) throw new Error(`${query} has errors: ${JSON.stringify(errors)}`);
  return data;
}

/** The selection of what follows from calls, at a block or in the pending state. */
export const CALLS = `success: call(data: $success) { data gasUsed status } failure: call(data: $failure) { data gasUsed status }
  estimateGas(data: $success)`;

/** The result of a call of a node: `eth_call`, and the execution of `debug_traceCall`. */
async function expectedCall(call: CallNode, request: unknown, block: string) {
  const { gas, failed, returnValue } = await call('debug_traceCall', request, block, {});
  const data = failed ? returnValue : await call('eth_call', request, block);
  return { data: data || '0x', gasUsed: hex(gas), status: failed ? '0x0' : '0x1' };
}

const callRequests = ({ contract, people: [from] }: ForkHistory) => {
  const success = { from, to: contract, gas: '0x30d40', data: WORD };
  return { success, failure: { from, to: contract, gas: '0x30d40' } };
};

/** Calls and estimates below each block with the contract. */
export async function* forkCalls(graph: RunningGraph, call: CallNode, history: ForkHistory): AsyncGenerator<Comparison> {
  const requests = callRequests(history);
  const head = Number(await call('eth_blockNumber'));
  for (let n = 1; n <= head; n++) {
    const { block } = await execute(
      graph,
      `query ($n: Long, $success: CallData!, $failure: CallData!) { block(number: $n) { ${CALLS} } }`,
      { n, ...requests },
    );
    const expected = {
      success: await expectedCall(call, requests.success, hex(n)),
      failure: await expectedCall(call, requests.failure, hex(n)),
      estimateGas: await call('eth_estimateGas', requests.success, hex(n)),
    };
    yield { what: `calls below block ${n}`, actual: block, expected };
  }
}

/** The pending state, with the transaction in the pool. */
export async function* forkPendingState(graph: RunningGraph, call: CallNode, history: ForkHistory): AsyncGenerator<Comparison> {
  const requests = callRequests(history);
  const [, address] = history.people;
  const { pending } = await execute(
    graph,
    `query ($success: CallData!, $failure: CallData!, $a: Address!) { pending {
      transactionCount transactions { hash value inputData } account(address: $a) { address balance transactionCount } ${CALLS}
    } }`,
    { ...requests, a: address },
  );
  const { transactions } = await call('eth_getBlockByNumber', 'pending', true);
  const expected = {
    transactionCount: hex(transactions.length),
    transactions: transactions.map(({ hash, value, input }: any) => ({ hash, value, inputData: input })),
    account: {
      address,
      balance: await call('eth_getBalance', address, 'pending'),
      transactionCount: await call('eth_getTransactionCount', address, 'pending'),
    },
    success: await expectedCall(call, requests.success, 'pending'),
    failure: await expectedCall(call, requests.failure, 'pending'),
    estimateGas: await call('eth_estimateGas', requests.success, 'pending'),
  };
  yield { what: 'the pending state', actual: pending, expected };
}

/** The encoding of a transaction as in a block: anvil adds the blobs. */
function canonicalEncoding(raw: string): string {
  const transaction = Transaction.from(raw);
  if (transaction.type !== 3) return raw;
  transaction.blobs = null;
  return transaction.serialized;
}

/** A field of a block, or the code of its error. */
async function fieldOrError(graph: RunningGraph, n: number, field: string): Promise<string> {
  const { data, errors } = await graph.execute(`query ($n: Long) { block(number: $n) { ${field} } }`, { n });
  return errors?.[0] ? errors[0].extensions.code : data.block[field];
}

/**
 * The encodings of each block, transaction and receipt. The hashes of the node confirm the expected ones, but for two defects of anvil: a genesis
 * block before Shanghai has blob fields alone of the later fork fields, and transactions roots commit to blobs.
 */
export async function* forkEncodings(graph: RunningGraph, call: CallNode): AsyncGenerator<Comparison> {
  const head = Number(await call('eth_blockNumber'));
  for (let n = 0; n <= head; n++) {
    const raw = await call('eth_getBlockByNumber', hex(n), false);
    const encoded = await Promise.all(raw.transactions.map((hash: string) => call('debug_getRawTransaction', hash)));
    const transactions = encoded.map(canonicalEncoding);
    const receipts = (await call('eth_getBlockReceipts', hex(n))).map(encodeTypedReceipt);
    yield { what: `hash of block ${n}`, actual: keccak256(encodeBlockHeader(raw)), expected: raw.hash };
    yield { what: `receipts root of block ${n}`, actual: trieRoot(receipts), expected: raw.receiptsRoot };
    yield { what: `transactions root of block ${n}`, actual: trieRoot(encoded), expected: raw.transactionsRoot };
    const hasHeader = raw.blobGasUsed === undefined || raw.withdrawalsRoot !== undefined;
    const hasBody = hasHeader && trieRoot(transactions) === raw.transactionsRoot;
    const { block } = await execute(graph, 'query ($n: Long) { block(number: $n) { transactions { raw rawReceipt } } }', { n });
    const expected = {
      raw: hasBody ? encodeBlockBody(raw, transactions) : 'UPSTREAM_BAD_RESPONSE',
      rawHeader: hasHeader ? encodeBlockHeader(raw) : 'UPSTREAM_BAD_RESPONSE',
      transactions: transactions.map((encoding, i) => ({ raw: encoding, rawReceipt: receipts[i] })),
    };
    const actual = { ...block, raw: await fieldOrError(graph, n, 'raw'), rawHeader: await fieldOrError(graph, n, 'rawHeader') };
    yield { what: `encodings of block ${n}`, actual, expected };
  }
}
