import { expect } from '@jest/globals';
import { concat, formatUnits, Interface, keccak256, zeroPadValue } from 'ethers';
import { readArtifact } from '../../../devnet/src/world/artifacts.ts';
import type { RpcBlock, RpcTransaction } from '../../../src/ethereum/rpc-types.ts';
import { postJson } from '../../support/clients/post-json.ts';
import {
  BLOCK_SELECTION,
  expectedBlock,
  expectedLog,
  expectedReceipt,
  expectedTransaction,
  hex,
  LOG_SELECTION,
  pick,
  RECEIPT_SELECTION,
  TRANSACTION_SELECTION,
} from '../../support/graph/expected-values.ts';
import { dataOf, type GraphResponse } from '../../support/graph/results.ts';
import type { RunningGraph } from '../../support/graph/running-graph.ts';
import type { History } from './history.ts';
import type { OtherNode } from './node.ts';

/** A result of the graph and the expected value from the node. */
export interface Comparison {
  readonly what: string;
  readonly actual: unknown;
  readonly expected: unknown;
}

/** Fields of blocks, transactions, receipts and logs that few nodes have, and fields of rollups. */
export const LATER_FIELDS = {
  Block: 'accessList { address } arbitrum { sendRoot } traces { calls { type } } executionTraces { gas }',
  Transaction: `blockTimestamp authorizationList { address } optimism { mint } arbitrum { requestId } trace { type } stateDiff { address }
    executionTrace { gas failed returnValue structLogs { pc op gas gasCost depth stack } }`,
  Receipt: 'blockTimestamp optimism { l1Fee } arbitrum { gasUsedForL1 }',
  Log: 'blockTimestamp',
  Network: 'config { current { chainID } }',
} as const;

export const ACCOUNT = `address balance balanceIn(unit: ETHER) transactionCount code isContract storage(slot: $slot)
  mappingStorage(slot: 0, keys: [$key]) arrayStorage(slot: 0, index: 0, fixed: true) storageMany(slots: [$slot])`;
/** Fields of a block and a transaction that the node's objects lack. */
export const OTHER_BLOCK_FIELDS = 'confirmations finalized';
export const OTHER_TRANSACTION_FIELDS =
  'state confirmations blobGasUsed blobGasPrice chainID valueIn(unit: ETHER) gasPriceIn(unit: GWEI)';
export const NETWORK = 'networkID protocolVersion listening blockNumber accounts';
export const TOKEN = 'address name symbol decimals logo totalSupply { raw value formatted token { address } }';
export const HEADER = `number hash parentHash nonce transactionsRoot stateRoot receiptsRoot miner { address } extraData gasLimit gasUsed
  baseFeePerGas timestamp logsBloom difficulty ommerHash`;

const SLOT = `0x${'0'.repeat(64)}`;

/** Formats an amount with `decimals` digits as the graph does. */
const inUnits = (amount: string, decimals: number): string => formatUnits(amount, decimals).replace(/\.0$/, '');

/** Returns results without types: a comparison needs none, and the checker took five seconds to derive those of whole blocks. */
const execute = (graph: RunningGraph, query: string, variables?: Record<string, unknown>) =>
  dataOf(graph.execute(query, variables));

/** The chain id of a transaction, from `chainId` or from `v` (EIP-155). */
function chainIdOf({ chainId, v }: RpcTransaction): string | null {
  if (chainId) return chainId;
  return Number(v) >= 35 ? hex(Math.floor((Number(v) - 35) / 2)) : null;
}

/** The fields of `HEADER` from a block of the node. */
export const headerOf = (raw: Omit<RpcBlock, 'transactions'>) => ({
  ...pick(raw, 'number hash parentHash nonce transactionsRoot stateRoot receiptsRoot extraData gasLimit gasUsed baseFeePerGas'),
  ...pick(raw, 'timestamp logsBloom difficulty'),
  miner: { address: raw.miner },
  ommerHash: raw.sha3Uncles,
});

/** Each block with its transactions, receipts and logs, by height and by hash. */
export async function* blocks(graph: RunningGraph, node: OtherNode): AsyncGenerator<Comparison> {
  const head = Number(await node.call('eth_blockNumber'));
  const final = await node.call('eth_getBlockByNumber', 'finalized', false);
  const [, ofNext] = (await node.call('eth_feeHistory', '0x1', hex(head), [])).baseFeePerGas;
  const hashes: { hash: string }[] = [];
  for (let n = 0; n <= head; n++) {
    const [raw, whole, next, logs] = await Promise.all([
      node.call('eth_getBlockByNumber', hex(n), false),
      node.call('eth_getBlockByNumber', hex(n), true),
      node.call('eth_getBlockByNumber', hex(n + 1), false),
      node.call('eth_getLogs', { fromBlock: hex(n), toBlock: hex(n) }),
    ]);
    const receipts = await Promise.all(raw.transactions.map((hash) => node.call('eth_getTransactionReceipt', hash)));
    hashes.push({ hash: raw.hash });
    const confirmations = hex(head - n + 1);
    const transactions = whole.transactions.map((one, i) => ({
      ...expectedTransaction(one, receipts[i]!, raw.baseFeePerGas),
      state: 'MINED',
      confirmations,
      blobGasUsed: receipts[i]!.blobGasUsed ?? null,
      blobGasPrice: receipts[i]!.blobGasPrice ?? null,
      chainID: chainIdOf(one),
      valueIn: inUnits(one.value, 18),
      gasPriceIn: inUnits(one.gasPrice, 9),
    }));
    const expected = {
      ...expectedBlock(raw, raw.baseFeePerGas ? (next?.baseFeePerGas ?? ofNext) : null),
      confirmations,
      finalized: n <= Number(final.number),
      transactions,
      transactionAt: transactions[0] ?? null,
      receipts: receipts.map(expectedReceipt),
      logs: logs.map(expectedLog),
    };
    const selection = `{ ${BLOCK_SELECTION} ${OTHER_BLOCK_FIELDS} transactions { ${TRANSACTION_SELECTION} ${OTHER_TRANSACTION_FIELDS} }
      transactionAt(index: 0) { ${TRANSACTION_SELECTION} ${OTHER_TRANSACTION_FIELDS} } receipts { ${RECEIPT_SELECTION} } logs(filter: {}) { ${LOG_SELECTION} } }`;
    const byNumber = await execute(graph, `query ($n: Long) { block(number: $n) ${selection} }`, { n });
    const byHash = await execute(graph, `query ($h: Bytes32) { block(hash: $h) ${selection} }`, { h: raw.hash });
    yield { what: `block ${n} by height`, actual: byNumber.block, expected };
    yield { what: `block ${n} by hash`, actual: byHash.block, expected };
    for (const [i, hash] of raw.transactions.entries()) {
      const alone = await execute(
        graph,
        `query ($h: Bytes32!) { transaction(hash: $h) { ${TRANSACTION_SELECTION} ${OTHER_TRANSACTION_FIELDS} } receipt(hash: $h) { ${RECEIPT_SELECTION} } }`,
        { h: hash },
      );
      yield {
        what: `transaction ${hash}`,
        actual: alone,
        expected: { transaction: transactions[i], receipt: expectedReceipt(receipts[i]!) },
      };
    }
  }
  const range = { fromBlock: '0x0', toBlock: hex(head) };
  const listed = await execute(graph, 'query ($to: Long) { blocks(from: 0, to: $to) { hash } }', { to: head });
  yield { what: 'blocks of a range', actual: listed.blocks, expected: hashes };
  const found = await execute(graph, `query ($f: FilterCriteria!) { logs(filter: $f) { ${LOG_SELECTION} } }`, { f: range });
  yield { what: 'logs of all blocks', actual: found.logs, expected: (await node.call('eth_getLogs', range)).map(expectedLog) };
}

const bytes = (unprefixed: string): string => (unprefixed.startsWith('0x') ? unprefixed : `0x${unprefixed}`);

/** `LATER_FIELDS` of each block with transactions, and the code of the error of each field that the node does not serve. */
export async function* laterFields(graph: RunningGraph, node: OtherNode): AsyncGenerator<Comparison> {
  const head = Number(await node.call('eth_blockNumber'));
  for (let n = 0; n <= head; n++) {
    const { timestamp, transactions } = await node.call('eth_getBlockByNumber', hex(n), false);
    const traces = (...options: object[]): Promise<any[]> =>
      Promise.all(transactions.map((hash: string) => node.call('debug_traceTransaction', hash, ...options)));
    const executions = await traces();
    const trees = await traces({ tracer: 'callTracer' });
    const diffs = await traces({ tracer: 'prestateTracer', tracerConfig: { diffMode: true } });
    // Ganache does not say whether an execution has failed, and ignores tracers.
    const hasOutcome = typeof executions[0]?.failed === 'boolean';
    const hasTracers = trees[0]?.type !== undefined;
    const typesIn = ({ type, calls = [] }: any): { type: string }[] => [{ type }, ...calls.flatMap(typesIn)];
    for (const [i, hash] of transactions.entries()) {
      const { Block, Transaction, Receipt, Log } = LATER_FIELDS;
      const { data, errors } = await graph.execute(
        `query ($n: Long, $h: Bytes32!) { block(number: $n) { ${Block} }
          transaction(hash: $h) { ${Transaction} logs { ${Log} } receipt { ${Receipt} } } network { ${LATER_FIELDS.Network} } }`,
        { n, h: hash },
      );
      const { gas, failed, returnValue, structLogs } = executions[i];
      const { logs } = await node.call('eth_getTransactionReceipt', hash);
      const executionTrace = hasOutcome && {
        ...{ gas: hex(gas), failed, returnValue: bytes(returnValue) },
        structLogs: structLogs.map((step: any) => ({
          ...{ pc: hex(step.pc), op: step.op, gas: hex(step.gas), gasCost: hex(step.gasCost), depth: step.depth },
          stack: step.stack.map((word: string) => hex256(BigInt(bytes(word)))),
        })),
      };
      const changed = Object.keys({ ...diffs[i].pre, ...diffs[i].post }).sort();
      const expected = {
        block: {
          ...{ accessList: null, arbitrum: null },
          traces: hasTracers ? trees.map((tree) => ({ calls: typesIn(tree) })) : null,
          executionTraces: hasOutcome ? executions.map((execution) => ({ gas: hex(execution.gas) })) : null,
        },
        transaction: {
          ...{ blockTimestamp: timestamp, authorizationList: null, optimism: null, arbitrum: null },
          trace: hasTracers ? typesIn(trees[i]) : null,
          stateDiff: hasTracers ? changed.map((address) => ({ address })) : null,
          executionTrace: executionTrace || null,
          logs: logs.map(() => ({ blockTimestamp: timestamp })),
          receipt: { blockTimestamp: timestamp, optimism: null, arbitrum: null },
        },
        network: { config: null },
      };
      const codes = Object.fromEntries(errors!.map(({ path, extensions }) => [path!.join('.'), extensions?.code]));
      const unserved = ['network.config', ...(hasTracers ? [] : ['block.traces', 'transaction.trace', 'transaction.stateDiff'])];
      const expectedCodes = {
        ...Object.fromEntries(unserved.map((path) => [path, 'METHOD_NOT_SUPPORTED'])),
        ...(!hasOutcome && {
          'block.executionTraces': 'UPSTREAM_BAD_RESPONSE',
          'transaction.executionTrace': 'UPSTREAM_BAD_RESPONSE',
        }),
      };
      yield { what: `later fields of ${hash}`, actual: { data, codes }, expected: { data: expected, codes: expectedCodes } };
    }
  }
}

/** Each account at the head and at each block. */
export async function* accounts(graph: RunningGraph, node: OtherNode, { addresses }: History): AsyncGenerator<Comparison> {
  const head = Number(await node.call('eth_blockNumber'));
  const word = (value: string) => `0x${value.slice(2).padStart(64, '0')}`;
  const key = zeroPadValue(addresses[0]!, 32);
  const mappingSlot = keccak256(concat([key, SLOT]));
  const stateOf = async (address: string, n: number) => ({
    address,
    ...balanceAndCode(await node.call('eth_getBalance', address, hex(n)), await node.call('eth_getCode', address, hex(n))),
    transactionCount: await node.call('eth_getTransactionCount', address, hex(n)),
    storage: word(await node.call('eth_getStorageAt', address, '0x0', hex(n))),
    arrayStorage: word(await node.call('eth_getStorageAt', address, '0x0', hex(n))),
    storageMany: [word(await node.call('eth_getStorageAt', address, '0x0', hex(n)))],
    mappingStorage: word(await node.call('eth_getStorageAt', address, mappingSlot, hex(n))),
  });
  const named = addresses.map((address, i) => `a${i}: account(address: "${address}") { ${ACCOUNT} }`).join(' ');
  for (let n = 0; n <= head; n++) {
    const entries = await Promise.all(addresses.map(async (address, i) => [`a${i}`, await stateOf(address, n)]));
    const expected = Object.fromEntries(entries);
    const { block } = await execute(graph, `query ($slot: Bytes32!, $key: Bytes!, $n: Long) { block(number: $n) { ${named} } }`, {
      slot: SLOT,
      key,
      n,
    });
    yield { what: `accounts below block ${n}`, actual: block, expected };
    if (n < head) continue;
    yield {
      what: 'accounts at the head',
      actual: await execute(graph, `query ($slot: Bytes32!, $key: Bytes!) { ${named} }`, { slot: SLOT, key }),
      expected,
    };
  }
}

const CONTENTS = `hash withdrawals { amount } transactions { hash to { address } value inputData type accessList { storageKeys } v r s status
  logs { data } } receipts { status cumulativeGasUsed logs { topics data } } logs(filter: {}) { id index topics data transactionHash }`;
/** The fields of these contents that nothing proves without the list of transactions, and without the receipts. */
const OF_TRANSACTIONS = ['block.transactions', 'block.logs.transactionHash'];
const OF_RECEIPTS = ['block.transactions.status', 'block.transactions.logs', 'block.receipts', 'block.logs'];
const STATE_FIELDS = ['balance', 'transactionCount', 'code', 'storage', 'absent', 'proof'];
const STATE = `balance transactionCount code storage(slot: "${SLOT}") absent: storage(slot: "${keccak256(SLOT)}")
  proof(storageKeys: ["${SLOT}", "${keccak256(SLOT)}"]) { balance nonce storageProof { value } }`;
/** The root of a state without accounts, which the first block of anvil has. */
const EMPTY_ROOT = keccak256('0x80');

/** Header fields in the order in which forks have added them. */
const FORK_FIELDS = 'baseFeePerGas withdrawalsRoot blobGasUsed excessBlobGas parentBeaconBlockRoot requestsHash'.split(' ');

/** Verified responses: with the data of other responses; nothing is refused, and what the headers do not prove is reported. */
export async function* verified(graph: RunningGraph, node: OtherNode, addresses: readonly string[]): AsyncGenerator<Comparison> {
  const compared = async (what: string, verify: string, query: string, variables: object, reported: readonly string[]) => {
    const send = async (headers: Record<string, string>) =>
      (await (await postJson(`${graph.url}/graphql`, { query, variables }, headers)).json()) as GraphResponse<unknown>;
    const { data, errors, extensions } = await send({ 'x-graph-verify': verify });
    const level = reported.length > 0 ? 'REPORTED' : 'CONSISTENT';
    const expected = { data: (await send({})).data, errors: undefined, trust: { level, checks: expect.anything(), reported } };
    return { what, actual: { data, errors, trust: extensions?.trust }, expected };
  };
  const accounts = addresses.map((address, i) => `a${i}: account(address: "${address}") { ${STATE} }`).join(' ');
  const ofState = addresses.flatMap((_address, i) => STATE_FIELDS.map((field) => `block.a${i}.${field}`));
  const head = Number(await node.call('eth_blockNumber'));
  let areAllCounted = true;
  for (let n = 0; n <= head; n++) {
    const block = await node.call('eth_getBlockByNumber', hex(n), true);
    const { hash, stateRoot, transactions } = block;
    const receipts = await Promise.all(transactions.map((one) => node.call('eth_getTransactionReceipt', one.hash)));
    // The transactions root of anvil covers the blobs. Ganache counts logs in each transaction, so that nothing proves their indexes.
    const hasBlobs = transactions.some(({ type }) => type === '0x3');
    const isCounted = receipts.flatMap(({ logs }) => logs).every(({ logIndex }, i) => Number(logIndex) === i);
    areAllCounted &&= isCounted;
    const ofContents = [...(hasBlobs ? OF_TRANSACTIONS : []), ...(isCounted ? [] : OF_RECEIPTS)];
    // The first block of anvil has fields of later forks without fields of earlier forks.
    const fields = FORK_FIELDS.map((name) => (Reflect.get(block, name) ? 'present' : 'missing'));
    const hasGap = fields.lastIndexOf('present') > fields.indexOf('missing') && fields.includes('missing');
    const inBlock = (selection: string) => `query ($h: Bytes32) { block(hash: $h) { ${selection} } }`;
    yield compared(`contents of block ${n}`, 'report', inBlock(CONTENTS), { h: hash }, hasGap ? ['block'] : ofContents);
    yield compared(
      `state of block ${n}`,
      'state',
      inBlock(accounts),
      { h: hash },
      hasGap ? ['block'] : stateRoot === EMPTY_ROOT ? ofState : [],
    );
  }
  const inRange = 'query ($f: FilterCriteria!) { logs(filter: $f) { index topics data block { hash } } }';
  yield compared('logs of all blocks', 'logs', inRange, { f: { fromBlock: 0, toBlock: head } }, areAllCounted ? [] : ['logs']);
  const metrics = await (await fetch(`${graph.url}/metrics`)).text();
  const failures = metrics.match(/^grimoire_upstream_verification_failures_total.*/gm);
  yield { what: 'refused results', actual: failures?.filter((line) => !line.endsWith(' 0')), expected: [] };
}

const balanceAndCode = (balance: string, code: string) => ({
  balance,
  balanceIn: inUnits(balance, 18),
  code,
  // A delegation (EIP-7702) is not a contract.
  isContract: code !== '0x' && !code.startsWith('0xef0100'),
});

/** Returns true if the receipts of a block match its receipts root, else the error code. */
async function receiptsCheck(graph: RunningGraph, n: number): Promise<unknown> {
  const query = 'query ($n: Long) { block(number: $n) { transactions { rawReceipt } } }';
  const { errors } = await graph.execute(query, { n });
  return errors ? errors[0]?.extensions?.code : true;
}

/** The encodings of each block, transaction and receipt, compared by their hashes. */
export async function* encodings(graph: RunningGraph, node: OtherNode): AsyncGenerator<Comparison> {
  const head = Number(await node.call('eth_blockNumber'));
  // The genesis blocks of these nodes do not have the roots of empty lists.
  for (let n = 1; n <= head; n++) {
    const raw = await node.call('eth_getBlockByNumber', hex(n), false);
    const { block } = await dataOf(
      graph.execute(
        `query ($n: Long) { block(number: $n) { rawHeader raw
          transactionsConnection(first: 500) { nodes { hash raw } } } }`,
        { n },
      ),
    );
    const transactions = block.transactionsConnection.nodes;
    const actual = {
      hash: keccak256(block.rawHeader),
      hasHeader: block.raw.includes(block.rawHeader.slice(2)),
      transactions: transactions.map((one) => ({ hash: one.hash, encoded: keccak256(one.raw) })),
      hasReceipts: await receiptsCheck(graph, n),
    };
    const expected = {
      hash: raw.hash,
      hasHeader: true,
      transactions: raw.transactions.map((hash) => ({ hash, encoded: hash })),
      hasReceipts: true,
    };
    yield { what: `encodings of block ${n}`, actual, expected };
  }
}

const abi = new Interface(readArtifact('Token').abi);

const solidityErrors = new Interface(['error Error(string)']);

/** A call, a revert and an estimate at the head and at each block, and the pending state. */
export async function* calls(graph: RunningGraph, node: OtherNode, { people, tokens }: History): AsyncGenerator<Comparison> {
  const [alice, , carol] = people as [string, string, string];
  const to = tokens[0]!.address;
  const balance = { to, data: abi.encodeFunctionData('balanceOf', [alice]) };
  const refused = { from: carol, to, data: abi.encodeFunctionData('transferFrom', [alice, carol, 1n]) };
  const transfer = { from: alice, to, data: abi.encodeFunctionData('transfer', [carol, 1n]) };
  const variables = { balance, refused, transfer };
  const parameters = '$balance: CallData!, $refused: CallData!, $transfer: CallData!';
  const SELECTION = `balance: call(data: $balance) { data status revertReason }
    refused: call(data: $refused) { data status revertReason } estimateGas(data: $transfer)`;
  const reason = 'insufficient allowance';
  const expectedAt = async (ref: string) => ({
    balance: { data: await node.call('eth_call', balance, ref), status: '0x1', revertReason: null },
    refused: { data: solidityErrors.encodeErrorResult('Error', [reason]), status: '0x0', revertReason: reason },
    estimateGas: await node.call('eth_estimateGas', transfer, ref),
  });
  const head = Number(await node.call('eth_blockNumber'));
  for (const n of [head - 1, head]) {
    const actual = (
      await execute(graph, `query (${parameters}, $n: Long) { block(number: $n) { ${SELECTION} } }`, { ...variables, n })
    ).block;
    yield { what: `calls below block ${n}`, actual, expected: await expectedAt(hex(n)) };
  }
  const ACCOUNT_STATE = `account(address: "${alice}") { balance transactionCount }`;
  const query = `query (${parameters}) { pending { transactionCount ${ACCOUNT_STATE} ${SELECTION} } }`;
  yield {
    what: 'the pending state',
    actual: (await execute(graph, query, variables)).pending,
    expected: {
      transactionCount: await node.call('eth_getBlockTransactionCountByNumber', 'pending'),
      account: {
        balance: await node.call('eth_getBalance', alice, 'pending'),
        transactionCount: await node.call('eth_getTransactionCount', alice, 'pending'),
      },
      ...(await expectedAt('pending')),
    },
  };
}

/** Each token with its metadata, balances and allowances, at the head and at each block since all tokens exist. */
export async function* tokens(
  graph: RunningGraph,
  node: OtherNode,
  { tokens: all, people }: History,
): AsyncGenerator<Comparison> {
  const head = Number(await node.call('eth_blockNumber'));
  const [owner, spender] = people as [string, string];
  const read = async (to: string, name: string, args: unknown[], n: number): Promise<bigint> => {
    const answer = await node.call('eth_call', { to, data: abi.encodeFunctionData(name, args) }, hex(n));
    return BigInt(answer);
  };
  for (const { address, name, kind, symbol, decimals } of all) {
    const shown = (amount: bigint) => ({
      raw: hex256(amount),
      value: String(amount),
      formatted: decimals === null ? null : formatUnits(amount, decimals).replace(/\.0$/, ''),
      token: { address },
    });
    const isBare = kind === 'erc20-bare';
    const expected = {
      address,
      name: isBare ? null : name,
      symbol,
      decimals,
      logo: null,
      totalSupply: shown(await read(address, 'totalSupply', [], head)),
      balanceOf: balanceOf(owner, shown(await read(address, 'balanceOf', [owner], head))),
      allowance: shown(await read(address, 'allowance', [owner, spender], head)),
    };
    const { token } = await execute(
      graph,
      `query ($t: Address!, $o: Address!, $s: Address!) { token(address: $t) {
        ${TOKEN} balanceOf(owner: $o) { ${BALANCE} } allowance(owner: $o, spender: $s) { ${AMOUNT} }
      } }`,
      { t: address, o: owner, s: spender },
    );
    yield { what: `token ${name}`, actual: token, expected };
    for (let n = all.length; n <= head; n++) {
      const below = {
        tokenBalances: [balanceOf(owner, shown(await read(address, 'balanceOf', [owner], n)))],
        tokenAllowance: shown(await read(address, 'allowance', [owner, spender], n)),
      };
      const { block } = await execute(
        graph,
        `query ($t: Address!, $o: Address!, $s: Address!, $n: Long) { block(number: $n) { account(address: $o) {
          tokenBalances(contracts: [$t]) { ${BALANCE} } tokenAllowance(contract: $t, spender: $s) { ${AMOUNT} }
        } } }`,
        { t: address, o: owner, s: spender, n },
      );
      yield { what: `token ${name} below block ${n}`, actual: block.account, expected: below };
    }
  }

  function balanceOf(of: string, balance: { raw: string; token: { address: string } }) {
    const tokenBalance = `0x${BigInt(balance.raw).toString(16).padStart(64, '0')}`;
    return {
      contractAddress: balance.token.address,
      owner: { address: of },
      token: balance.token,
      error: null,
      tokenBalance,
      balance,
    };
  }
}

const hex256 = (value: bigint): string => `0x${value.toString(16)}`;
export const AMOUNT = 'raw value formatted token { address }';
export const BALANCE = `contractAddress owner { address } token { address } error tokenBalance balance { ${AMOUNT} }`;

/** Fields of the network; null where the node lacks the method. */
export async function* network(graph: RunningGraph, node: OtherNode): AsyncGenerator<Comparison> {
  const orNull = (method: string) => node.call(method).catch(() => null);
  const block = async (tag: string) => ({ hash: (await node.call('eth_getBlockByNumber', tag, false)).hash });
  const { data } = await graph.execute(`{
    gasPrice maxPriorityFeePerGas chainID syncing { currentBlock } network { ${NETWORK} }
    earliest: block(tag: EARLIEST) { hash } latest: block(tag: LATEST) { hash } safe: block(tag: SAFE) { hash } finalized: block(tag: FINALIZED) { hash }
  }`);
  const expected = {
    gasPrice: await node.call('eth_gasPrice'),
    maxPriorityFeePerGas: await node.call('eth_maxPriorityFeePerGas'),
    chainID: await node.call('eth_chainId'),
    syncing: null,
    network: {
      networkID: await node.call('net_version'),
      protocolVersion: await orNull('eth_protocolVersion').then((version) => version && String(version)),
      listening: await orNull('net_listening'),
      blockNumber: await node.call('eth_blockNumber'),
      accounts: await node.call('eth_accounts'),
    },
    earliest: await block('earliest'),
    latest: await block('latest'),
    safe: await block('safe'),
    finalized: await block('finalized'),
  };
  yield { what: 'the node', actual: data, expected };
}
