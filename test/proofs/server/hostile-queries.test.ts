import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import { getIntrospectionQuery } from 'graphql';
import { isErrorCode } from '../../../src/lib/errors.ts';
import { type DevnetSetup, startDevnetSetup } from '../../support/graph/devnet-setup.ts';
import { address, hostileQueries, KIB, NUMBER, repeat, TOO_LARGE } from '../../support/graph/hostile-queries.ts';
import type { ResponseErrors } from '../../support/graph/results.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** Attack documents against the built program with default limits: each is rejected before any upstream request. */
let setup: DevnetSetup;

beforeAll(async () => {
  // A busy machine must not cause TIMEOUT.
  setup = await startDevnetSetup({ OPERATION_TIMEOUT_MS: '60000' });
  // Open ranges end at the head, so they need a long chain.
  await setup.rpc('anvil_mine', '0xc8');
  await waitUntil(
    async () => Number((await setup.graph.execute('{ block { number } }')).data.block.number) > 200,
    'the graph has the head',
  );
});

beforeEach(() => {
  setup.proxy.takeCounts();
});

const send = (url: string, body: unknown) =>
  fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

test('the table of hostile queries has at least 40 rows', () => {
  expect(hostileQueries.length).toBeGreaterThanOrEqual(40);
});

// Each row has all values: jest would pass its callback for a missing one.
const rows = hostileQueries.map(([name, code, attack, setting]) => [name, code, attack, setting ?? ''] as const);

test.each(rows)('%s is rejected with %s before any upstream request', async (_name, code, attack, setting) => {
  const response = await send(setup.graph.url, attack);
  const text = await response.text();
  expect(response.status).toBe(code === TOO_LARGE ? 413 : 400);
  expect(text.length).toBeLessThan(16 * KIB);
  const { data, errors } = JSON.parse(text) as { data?: unknown; errors: ResponseErrors };
  expect(data).toBeUndefined();
  expect(errors.length).toBeLessThanOrEqual(10);
  expect(errors.map(({ extensions }) => isErrorCode(extensions.code))).toEqual(errors.map(() => true));
  expect(errors[0].extensions).toMatchObject({ code, retryable: false, source: 'graph', requestId: expect.any(String) });
  expect(Math.max(...errors.map(({ message }) => message.length))).toBeLessThan(300);
  expect(text).not.toMatch(/call stack|stacktrace|\.ts:|\.js:/);
  if (setting) {
    expect(errors[0].message).toContain(`(${setting})`);
    // The parser ends at the limit, so that the number of tokens is unknown.
    if (setting !== 'MAX_TOKENS') expect(errors[0].extensions.actual).toBeGreaterThan(errors[0].extensions.limit!);
    else expect(errors[0].extensions.limit).toBeGreaterThan(0);
    if (setting === 'MAX_COST') {
      const { mostExpensivePath, share } = errors[0].extensions;
      expect(errors[0].message).toContain(`\`${mostExpensivePath}\``);
      expect(share).toBeGreaterThan(0);
      expect(share).toBeLessThanOrEqual(1);
    }
  }
  expect(setup.proxy.takeCounts().http).toBe(0);
});

/** The document does not bound the cost of these queries, so they run. MAX_COST bounds their calls, mostly equal ones. */
test.each([
  [
    '100 searches for logs with their blocks',
    `{ ${repeat(100, (i) => `a${i}: logs(filter: { fromBlock: ${i} }) { block { size } }`)} }`,
  ],
  ['balances of all senders of many blocks', '{ blocks(from: 0, to: 99) { transactions { from { balance } } } }'],
  ['whole blocks around each log of a range', '{ logs(filter: { fromBlock: 0 }) { block { transactions { value } } } }'],
])('%s costs few upstream calls', async (_name, query) => {
  const { status, errors } = await setup.graph.execute(query);
  expect({ status, errors }).toEqual({ status: 200, errors: undefined });
  expect(setup.proxy.takeCounts().calls).toBeLessThan(500);
});

const accounts = (count: number, fields: string) =>
  `{ ${repeat(count, (i) => `a${i}: account(address: "${address(i)}") { ${fields} }`)} }`;

const TRANSACTION = `hash nonce index from { address } to { address } value gasPrice gas inputData type status gasUsed effectiveGasPrice`;
const RECEIPT =
  'transactionHash status gasUsed cumulativeGasUsed effectiveGasPrice logs { index account { address } topics data }';

test.each([
  ["GraphiQL's introspection", getIntrospectionQuery()],
  [
    "GraphiQL's introspection with all that it can ask",
    getIntrospectionQuery({
      descriptions: true,
      schemaDescription: true,
      inputValueDeprecation: true,
      specifiedByUrl: true,
      directiveIsRepeatable: true,
    }),
  ],
  ['100 accounts with all their fields but one', accounts(100, 'address balance transactionCount code')],
  [
    '20 blocks with transactions, receipts and logs',
    `{ blocks(from: 4, to: 23) { hash transactions { ${TRANSACTION} } receipts { ${RECEIPT} } } }`,
  ],
  [
    'the maximum number of blocks, with their contents',
    '{ blocks(from: 0, to: 99) { transactions { value } receipts { status } } }',
  ],
  [
    'the logs of the chain with their transactions and blocks',
    '{ logs(filter: { fromBlock: 0, toBlock: 31 }) { data transaction { hash value } block { timestamp } } }',
  ],
  ['the balances of all senders of a block', '{ block(number: 20) { transactions { value from { address balance } } } }'],
  ['200 values of one block under different aliases', `{ block(number: 20) { ${repeat(200, (i) => `a${i}: hash`)} } }`],
])('%s is executed although it is large', async (_name, query) => {
  const { status, errors } = await setup.graph.execute(query);
  expect({ status, errors }).toEqual({ status: 200, errors: undefined });
});

test('a message about an invalid variable names the expected type and truncates the value', async () => {
  const { errors } = await setup.graph.execute(NUMBER, { n: '9'.repeat(5_000) });
  expect(errors![0]!.message).toMatch(/^Variable "\$n" got invalid value "9+ … .*Long takes an integer .* "42" or "0x2a"\.$/);
});
