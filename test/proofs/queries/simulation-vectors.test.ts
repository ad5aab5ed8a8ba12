import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { block, rpcError, startStubbedGraph } from '../../support/graph/stubbed-graph.ts';

type Json = Record<string, any>;

const FOLDER = new URL('../../support/vectors/eth_simulateV1/', import.meta.url);
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith('.io'));

/** The head of the chain of the vectors. */
const HEAD = block({ number: '0x36', hash: '0xd226371d0b1551adb03fb52b71f08e3e11247fe9b1af994768af8cdaa8e7dcd7' });
const TRACED = `0x${'ee'.repeat(20)}`;

/** The request and the response of a file. */
function readVector(file: string): {
  readonly request: Json;
  readonly at: string;
  readonly result?: Json[];
  readonly error?: Json;
} {
  const lines = readFileSync(new URL(file, FOLDER), 'utf8').split('\n');
  const parse = (prefix: string) => JSON.parse(lines.find((line) => line.startsWith(prefix))!.slice(prefix.length));
  const { params } = parse('>> ');
  const { result, error } = parse('<< ');
  return { request: params[0], at: params[1], result, error };
}

const toList = <T>(object: Json | undefined, toItem: (key: string, value: any) => T): T[] | undefined =>
  object && Object.entries(object).map(([key, value]) => toItem(key, value));
const toStorage = (slots?: Json) => toList(slots, (slot, value) => ({ slot, value }));

/** The call with `data` in place of `input`: nodes accept both, and this server sends `data`. */
const withData = ({ input, ...call }: Json) => ({ ...call, ...(input !== undefined && { data: input }) });

/** The value of the argument `blocks` for the request of a vector. */
const toBlocks = ({ blockStateCalls }: Json) =>
  blockStateCalls.map(({ blockOverrides, stateOverrides, calls }: Json) => {
    const { time: timestamp, ...overrides } = blockOverrides ?? {};
    return {
      blockOverrides: blockOverrides && { ...overrides, timestamp },
      stateOverrides: toList(stateOverrides, (address, { movePrecompileToAddress, state, stateDiff, ...account }) => ({
        address,
        ...account,
        state: toStorage(state),
        stateDiff: toStorage(stateDiff),
        movePrecompileTo: movePrecompileToAddress,
      })),
      calls: calls?.map(withData),
    };
  });

const POSITION = 'index blockNumber blockHash blockTimestamp transactionHash transactionIndex';
const HEADER = `number hash parentHash nonce ommerHash ommerHashes logsBloom transactionsRoot stateRoot receiptsRoot miner { address }
  difficulty extraData gasLimit gasUsed timestamp baseFeePerGas mixHash size withdrawalsRoot withdrawals { index validator address amount }
  blobGasUsed excessBlobGas parentBeaconBlockRoot requestsHash transactionHashes`;
const TRANSACTION = `hash nonce index blockNumber blockHash blockTimestamp from { address } to { address } value gasPrice maxFeePerGas
  maxPriorityFeePerGas maxFeePerBlobGas gas inputData type accessList { address storageKeys } blobVersionedHashes chainID r s v yParity`;
const TRANSFERS = `transfers { from { address } to { address } value ${POSITION} }`;
const CALL = `status data gasUsed maxUsedGas error { code message data } logs { account { address } topics data ${POSITION} }`;

const operationOf = ({ traceTransfers, returnFullTransactions, validation }: Json) =>
  `query ($blocks: [SimulatedBlockInput!]!, $block: Long) {
    simulate(blocks: $blocks, block: $block${validation ? ', validation: true' : ''}) {
      blocks { ${HEADER} ${returnFullTransactions ? `transactions { ${TRANSACTION} }` : ''} calls { ${CALL} ${traceTransfers ? TRANSFERS : ''} } }
      calls { ${CALL} ${traceTransfers ? TRANSFERS : ''} }
    }
  }`;

// The expected response: each property of the recorded result under the name of its field. A property without a
// renaming keeps its name, so that one that the schema lacks fails the comparison.

const accountOf = (address: string | null) => (address === null ? null : { address });
const addressIn = (topic: string) => accountOf(`0x${topic.slice(-40)}`);

const toLog = ({ address, logIndex, removed, ...log }: Json) => {
  // A log of a simulation cannot be removed, so the field does not exist.
  expect(removed).toBe(false);
  return { ...log, account: accountOf(address), index: logIndex };
};

const toTransfer = (recorded: Json) => {
  const { account, topics, data, ...log } = toLog(recorded) as Json;
  expect(topics).toHaveLength(3);
  return { ...log, from: addressIn(topics[1]), to: addressIn(topics[2]), value: `0x${BigInt(data).toString(16)}` };
};

const toCall = ({ returnData, logs, error, ...call }: Json, { traceTransfers }: Json) => {
  const traced = logs.filter(({ address }: Json) => address === TRACED);
  // The payload of a revert is `data` of a failed call, too.
  const failure = error ? { data: null, ...error } : null;
  return {
    ...call,
    data: error?.data ?? returnData,
    error: failure,
    logs: logs.filter((log: Json) => !traced.includes(log)).map(toLog),
    ...(traceTransfers && { transfers: traced.map(toTransfer) }),
  };
};

const toTransaction = ({ from, to, transactionIndex, input, chainId, ...transaction }: Json) => ({
  ...transaction,
  from: accountOf(from),
  to: accountOf(to),
  index: transactionIndex,
  inputData: input,
  chainID: chainId,
});

const toBlock = ({ sha3Uncles, uncles, miner, transactions, calls, ...header }: Json, request: Json) => ({
  ...header,
  ommerHash: sha3Uncles,
  ommerHashes: uncles,
  miner: accountOf(miner),
  transactionHashes: transactions.map((one: Json | string) => (typeof one === 'string' ? one : one.hash)),
  ...(request.returnFullTransactions && { transactions: transactions.map(toTransaction) }),
  calls: calls.map((call: Json) => toCall(call, request)),
});

/** The code of each error of the vectors; -32000 has several meanings. */
const CODES: Record<string, string> = {
  '-38012': 'FEE_TOO_LOW',
  '-38014': 'INSUFFICIENT_FUNDS',
  '-38020': 'BAD_USER_INPUT',
  '-38021': 'BAD_USER_INPUT',
  '-32000 header not found': 'BLOCK_NOT_AVAILABLE',
  '-32000 is not a precompile': 'BAD_USER_INPUT',
};
const codeOf = ({ code, message }: Json) =>
  CODES[code] ?? CODES[Object.keys(CODES).find((key) => key.startsWith(`${code} `) && message.endsWith(key.slice(7)))!];

test.each(FILES)('simulate serves the recorded simulation %s', async (file) => {
  const { request, at, result, error } = readVector(file);
  const graph = await startStubbedGraph({
    eth_getBlockByNumber: HEAD,
    eth_simulateV1: () => (error ? rpcError(error.code, error.message) : result),
  });
  const variables = { blocks: toBlocks(request), ...(at !== 'latest' && { block: at }) };
  const { data, errors } = await graph.execute(operationOf(request), variables);

  // Only the head is pinned by its hash; a given height is sent as it is.
  const [pinned, pins] = at === 'latest' ? [{ blockHash: HEAD.hash }, { eth_getBlockByNumber: 1 }] : [at, {}];
  const sent = {
    ...request,
    blockStateCalls: request.blockStateCalls.map((one: Json) => ({
      ...one,
      ...(one.calls && { calls: one.calls.map(withData) }),
    })),
  };
  expect(graph.requested).toContainEqual(['eth_simulateV1', sent, pinned]);
  expect(graph.node.takeCounts().methods).toEqual({ ...pins, eth_simulateV1: 1 });

  if (error) {
    expect(data).toEqual({ simulate: null });
    expect(errors).toMatchObject([{ extensions: { code: codeOf(error), rpcCode: error.code, method: 'eth_simulateV1' } }]);
    return;
  }
  expect(errors).toBeUndefined();
  const expected = result!.map((one) => toBlock(one, request));
  expect(data.simulate).toMatchObject({ blocks: expected, calls: expected.flatMap((one) => one.calls) });
});
