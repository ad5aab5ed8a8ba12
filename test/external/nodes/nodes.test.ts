import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { HDNodeWallet } from 'ethers';
import { type GraphQLObjectType, getNamedType, getOperationAST, Kind, parse } from 'graphql';
import { etherTransfer, transfer } from '../../../devnet/src/world/transaction-requests.ts';
import { domains } from '../../../src/app/installed-domains.ts';
import { composeSchema } from '../../../src/graphql/federation/compose.ts';
import { createSubscriptionClient } from '../../support/clients/subscription-client.ts';
import {
  BLOCK_SELECTION,
  expectedLog,
  hex,
  LOG_SELECTION,
  RECEIPT_SELECTION,
  TRANSACTION_SELECTION,
} from '../../support/graph/expected-values.ts';
import { type RunningGraph, startGraph } from '../../support/graph/running-graph.ts';
import * as compare from './comparisons.ts';
import { type History, makeHistory, send } from './history.ts';
import { KINDS, MNEMONIC, type OtherNode, startNode } from './node.ts';

/** Nodes of other makers, compared with the graph in front of them field by field. */

/** Single values in a result. */
const countOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? Object.values(value).reduce((sum: number, of) => sum + countOf(of), 0) : 1;

const figures: string[] = [];

afterAll(() => {
  process.stdout.write(`${figures.join('\n')}\n`);
});

describe.each(KINDS)('$name', (kind) => {
  let node: OtherNode;
  let history: History;

  beforeAll(async () => {
    node = await startNode(kind);
    history = await makeHistory(node, kind);
  });

  afterAll(() => node?.stop());

  describe.each([
    ['HTTP and WebSocket', true],
    ['HTTP alone', false],
  ])('over %s', (transport, hasSocket) => {
    let graph: RunningGraph;

    beforeAll(async () => {
      graph = await startGraph({ RPC_URL: node.http, ...(hasSocket && { RPC_WS_URL: node.ws }), MAX_COST: '10000000' });
    });

    const equal = async (about: string, comparisons: AsyncIterable<compare.Comparison>): Promise<void> => {
      let values = 0;
      for await (const { what, actual, expected } of comparisons) {
        expect({ [what]: actual }).toEqual({ [what]: expected });
        values += countOf(expected);
      }
      expect(values).toBeGreaterThan(0);
      figures.push(`${kind.name} over ${transport}: ${values} values of ${about} are equal`);
    };

    test('blocks, transactions, receipts and logs equal the values of the node', () =>
      equal('blocks', compare.blocks(graph, node)));
    test('fields that few nodes have are null, or METHOD_NOT_SUPPORTED; executions equal those of the node', () =>
      equal('later fields', compare.laterFields(graph, node)));
    test('accounts have the state of the node at the head and at every block', () =>
      equal('accounts', compare.accounts(graph, node, history)));
    test('verified responses have the same data, and no result of the node is refused', () =>
      equal('verified responses', compare.verified(graph, node, history.addresses)));
    test('calls, reverts, estimates and the pending state equal the values of the node', () =>
      equal('calls', compare.calls(graph, node, history)));
    test('encodings hash to the hashes of the node', () => equal('encodings', compare.encodings(graph, node)));
    test('tokens have the values of their contracts at the head and at every block', () =>
      equal('tokens', compare.tokens(graph, node, history)));
    test('prices, tags and the network equal the values of the node', () => equal('the network', compare.network(graph, node)));

    test('subscriptions bring each new head and each new log as the node has it', () => equal('live events', liveEvents()));

    /** New blocks, one of them with the transaction of the mutation; the subscriptions start after the last block of the history. */
    async function* liveEvents(): AsyncGenerator<compare.Comparison> {
      const [alice, bob] = history.people as [string, string];
      const token = history.tokens[0]!.address;
      const before = await node.call('eth_getBlockByNumber', 'latest', false);
      const client = createSubscriptionClient(graph.url);
      const after = { after: before.hash };
      const heads = client.subscribe(`subscription ($after: Bytes32) { newHeads(after: $after) { ${compare.HEADER} } }`, after);
      const past = await graph.execute(`query ($f: FilterCriteria!) { logs(filter: $f) { cursor } }`, { f: { fromBlock: 0 } });
      const logsQuery = `subscription ($after: String) { logs(after: $after) { ${LOG_SELECTION} } }` as const;
      const afterLast = { after: past.data.logs.at(-1)!.cursor };
      const logs = client.subscribe(logsQuery, afterLast);
      const verified = client.subscribe(logsQuery, afterLast, { verify: 'logs' });
      const transfers = 5;
      // A block with a failed transaction, whose receipt Ganache encodes in its own way.
      await node.call(...(kind.manual as [string]));
      await send(node, transfer(bob, token, alice, 10n ** 30n));
      await send(node, transfer(alice, token, bob, 1n));
      await node.call('evm_mine');
      await node.call(...(kind.automatic as [string]));
      for (let i = 0; i < transfers; i++) {
        await send(node, transfer(alice, token, bob, BigInt(1 + i)));
        await send(node, etherTransfer(bob, alice, 1n));
      }
      const wallet = HDNodeWallet.fromPhrase(MNEMONIC, undefined, `m/44'/60'/0'/0/3`);
      const signed = await wallet.signTransaction({
        to: alice,
        value: 1n,
        gasLimit: 21_000n,
        gasPrice: 2n * BigInt(await node.call('eth_gasPrice')),
        nonce: Number(await node.call('eth_getTransactionCount', wallet.address, 'latest')),
        chainId: Number(await node.call('eth_chainId')),
      });
      const sent = await graph.execute('mutation ($d: Bytes!) { sendRawTransaction(data: $d) }', { d: signed });
      const hash = sent.data?.sendRawTransaction;
      const status = client.subscribe('subscription ($h: Bytes32!) { transactionStatus(hash: $h) { status confirmations } }', {
        h: hash,
      });
      const first = Number(before.number) + 1;
      const mined = Number(await node.call('eth_blockNumber')) - first + 1;
      const blocks = await Promise.all(
        Array.from({ length: mined }, (_none, i) => node.call('eth_getBlockByNumber', hex(first + i), false)),
      );
      const seen = await heads.waitForEvents(mined);
      yield { what: 'newHeads', actual: seen.map(({ newHeads }) => newHeads), expected: blocks.map(compare.headerOf) };
      const range = { fromBlock: hex(first), toBlock: hex(first + mined - 1) };
      const expected = (await node.call('eth_getLogs', range)).map(expectedLog);
      const emitted = await logs.waitForEvents(transfers + 1);
      yield { what: 'logs', actual: emitted.map((event) => event.logs), expected };
      yield { what: 'verified logs', actual: (await verified.waitForEvents(transfers + 1)).map((event) => event.logs), expected };
      // Neither node has receipts of blocks, which would prove the logs.
      const trust = verified.events.map(({ extensions }) => extensions?.trust);
      yield {
        what: 'trust',
        actual: trust,
        expected: expected.map(() => ({ level: 'REPORTED', checks: [], reported: ['logs'] })),
      };
      const receipt = await node.call('eth_getTransactionReceipt', hash);
      const confirmed = await status.waitUntil(({ transactionStatus }) => transactionStatus.status === 'CONFIRMED');
      yield {
        what: 'the raw transaction',
        actual: { inBlock: receipt.blockNumber, status: confirmed.at(-1)?.transactionStatus },
        expected: { inBlock: hex(first + mined - 1), status: { status: 'CONFIRMED', confirmations: '0x1' } },
      };
      client.close();
    }
  });
});

/** Fields that are compared in another place, or whose values the node does not know. */
const EXTRA_FIELDS: Readonly<Record<string, readonly string[]>> = {
  Block: [
    ...['account', 'call', 'estimateGas', 'transactions', 'transactionsConnection', 'transactionAt', 'receipts', 'logs'],
    ...['raw', 'rawHeader'],
  ],
  Transaction: ['decoded', 'raw', 'rawReceipt', 'revertReason', 'revertError'],
  Log: ['cursor', 'decoded'],
  Account: ['id', 'label', 'proof', 'read', 'token', 'tokenBalance', 'tokenBalances', 'tokenAllowance'],
  Token: ['account', 'balanceOf', 'allowance', 'transfers'],
  BlockHeader: ['block', 'replaces'],
};

const schema = composeSchema(domains);

/** The fields at the top of a selection. */
const namesIn = (selection: string): string[] => {
  const operation = getOperationAST(parse(`{ ${selection} }`))!;
  return operation.selectionSet.selections.flatMap((node) => (node.kind === Kind.FIELD ? [node.name.value] : []));
};

test.each([
  ['Block', `${BLOCK_SELECTION} ${compare.OTHER_BLOCK_FIELDS} ${compare.LATER_FIELDS.Block}`],
  ['Transaction', `${TRANSACTION_SELECTION} ${compare.OTHER_TRANSACTION_FIELDS} ${compare.LATER_FIELDS.Transaction}`],
  ['Receipt', `${RECEIPT_SELECTION} ${compare.LATER_FIELDS.Receipt}`],
  ['Log', `${LOG_SELECTION} ${compare.LATER_FIELDS.Log}`],
  ['Account', compare.ACCOUNT],
  ['BlockHeader', compare.HEADER],
  ['Network', `${compare.NETWORK} ${compare.LATER_FIELDS.Network}`],
  ['Token', compare.TOKEN],
  ['TokenAmount', compare.AMOUNT],
  ['TokenBalance', compare.BALANCE],
])('the comparisons leave out no field of %s', (name, selection) => {
  const fields = Object.values((schema.getType(name) as GraphQLObjectType).getFields());
  const isOfWizards = (type: string) => /Wizard|Duel/.test(type);
  const own = fields.filter(({ type }) => !isOfWizards(String(getNamedType(type)))).map((field) => field.name);
  expect([...namesIn(selection), ...(EXTRA_FIELDS[name] ?? [])].sort()).toEqual(own.sort());
});
