import { beforeAll, describe, expect, test } from '@jest/globals';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { postJson } from '../../support/clients/post-json.ts';
import { bodyOf } from '../../support/graph/results.ts';
import { type RunningGraph, startGraph } from '../../support/graph/running-graph.ts';

/** Cost limits and cost reports of the built program with default settings, over the embedded chain. */
let graph: RunningGraph;

beforeAll(async () => {
  graph = await startGraph();
});

const HEAD = '{ block { number } }';
const ISSUE = 'number transactions { hash status logs { data account { address token { symbol } } } }';

const headNumber = async (): Promise<number> => Number((await graph.execute(HEAD)).data.block.number);

const send = async (query: string, headers: Record<string, string> = {}) =>
  bodyOf(await postJson(`${graph.url}/graphql`, { query }, headers));

const COST = { 'x-graph-cost': '1' };

describe('token symbols below the logs of the last blocks', () => {
  test.each([5, 6, 20])('token symbols of the logs of a closed range of %i blocks are within MAX_COST', async (count) => {
    const to = await headNumber();
    const { status, data, errors } = await graph.execute(`{ blocks(from: ${to - count + 1}, to: ${to}) { ${ISSUE} } }`);
    expect({ status, errors }).toEqual({ status: 200, errors: undefined });
    expect(data.blocks).toHaveLength(count);
    expect(JSON.stringify(data.blocks)).toContain('"symbol":"');
  });
});

describe('x-graph-cost: 1', () => {
  test('x-graph-cost: 1 adds estimate, actual, requests, calls and compute units to extensions', async () => {
    const account = '0x00000000000000000000000000000000000000aa';
    const { extensions } = await send(`{ gasPrice account(address: "${account}") { balance code } }`, COST);
    expect(extensions.cost).toEqual({ estimate: 5, actual: 4, requests: expect.any(Number), calls: 3, computeUnits: 60 });
    expect(extensions.cost.requests).toBeGreaterThanOrEqual(1);
  });

  test('the cost estimate of a large query is at least its actual cost', async () => {
    const to = await headNumber();
    const { extensions } = await send(`{ blocks(from: ${to - 9}, to: ${to}) { ${ISSUE} } }`, COST);
    const { estimate, actual } = extensions.cost;
    expect(actual).toBeGreaterThan(0);
    expect(estimate).toBeGreaterThanOrEqual(actual);
  });

  test('x-graph-cost: 1 reports no request for a cached response', async () => {
    const query = '{ blocks(from: 1, to: 20) { hash transactions { hash value } } }';
    const first = await send(query, COST);
    for (;;) {
      const { data, extensions } = await send(query, COST);
      expect(data).toEqual(first.data);
      if (extensions.cost.requests === 0) {
        expect(extensions.cost).toMatchObject({ requests: 0, calls: 0, computeUnits: 0, estimate: expect.any(Number) });
        break;
      }
    }
  });

  test('x-graph-cost: 1 adds the cost to each event over SSE', async () => {
    const response = await postJson(`${graph.url}/graphql`, { query: '{ gasPrice }' }, { accept: 'text/event-stream', ...COST });
    const event = /data: (\{.*\})/.exec(await response.text())!;
    expect(JSON.parse(event[1]!).extensions.cost).toEqual({ estimate: 2, actual: 2, requests: 1, calls: 1, computeUnits: 20 });
  });

  test('x-graph-cost: 1 in the upgrade request adds the cost to each event of that WebSocket only', async () => {
    const firstEvent = async (headers: Record<string, string>) => {
      class WithHeaders extends WebSocket {
        constructor(address: string, protocols: string[]) {
          super(address, protocols, { headers });
        }
      }
      const client = createClient({ url: `${graph.url.replace('http', 'ws')}/graphql`, webSocketImpl: WithHeaders });
      try {
        for await (const event of client.iterate({ query: 'subscription { newHeads { number hash } }' })) return event;
        return undefined;
      } finally {
        await client.dispose();
      }
    };
    const [shown, plain] = await Promise.all([firstEvent(COST), firstEvent({})]);
    const cost = { estimate: 1, actual: 1, requests: 0, calls: 0, computeUnits: 0 };
    expect(shown).toHaveProperty('extensions.cost', cost);
    expect(plain).toHaveProperty('data.newHeads.hash', expect.stringMatching(/^0x/));
    expect(plain).not.toHaveProperty('extensions.cost');
  });
});
