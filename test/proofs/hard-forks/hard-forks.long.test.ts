import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { startAnvil } from '../../../devnet/src/anvil/process.ts';
import { developmentAccounts, MNEMONIC } from '../../../devnet/src/world/accounts.ts';
import { domains } from '../../../src/app/installed-domains.ts';
import { composeSchema } from '../../../src/graphql/federation/compose.ts';
import * as nodes from '../../external/nodes/comparisons.ts';
import { type CallNode, rpc } from '../../support/graph/rpc.ts';
import type { RunningGraph } from '../../support/graph/running-graph.ts';
import { selectedFields } from '../../support/graph/selected-fields.ts';
import { serveGraph } from '../../support/graph/served-graph.ts';
import * as compare from './comparisons.ts';
import { FORKS, mineForkHistory } from './history.ts';

/** Over a chain of each hard fork, the graph has the values of the node for each field of the standard. */

const PARTS = [
  ...(['blocks', 'accounts', 'verified responses', 'the network', 'calls', 'typed reads', 'traces', 'simulations'] as const),
  'the pending state',
] as const;

type Part = (typeof PARTS)[number];

/** Number of forks that are compared at once. */
const CONCURRENCY = 3;

/** The values of each part that were compared, or the failure. */
type Outcome = { readonly count: number; readonly failure?: unknown };

/** The queries of all comparisons. */
const queries = new Set<string>();

const outcomes = new Map<string, ReadonlyMap<Part, Outcome>>();

async function outcomeOf(comparisons: AsyncIterable<nodes.Comparison>): Promise<Outcome> {
  let count = 0;
  try {
    for await (const { what, actual, expected } of comparisons) {
      expect({ [what]: actual }).toEqual({ [what]: expected });
      count += 1;
    }
    return { count };
  } catch (failure) {
    return { count, failure };
  }
}

async function compareFork(fork: string): Promise<void> {
  const anvil = await startAnvil({ chainId: 31337, mnemonic: MNEMONIC, genesisTime: 1_735_689_600, hardfork: fork });
  try {
    const call: CallNode = (method, ...params) => rpc(anvil.url, method, params);
    const history = await mineForkHistory(call, fork, developmentAccounts().slice(0, 5));
    const node = { http: anvil.url, ws: anvil.wsUrl, call, stop: anvil.stop };
    const started = await serveGraph({ RPC_URL: anvil.url, RPC_WS_URL: anvil.wsUrl, MAX_COST: '1000000', LOG_LEVEL: 'warn' });
    const graph: RunningGraph = {
      ...started,
      execute: (query, variables) => {
        queries.add(query);
        return started.execute(query, variables);
      },
    };
    const comparisons: Record<Part, AsyncIterable<nodes.Comparison>> = {
      blocks: nodes.blocks(graph, node),
      accounts: nodes.accounts(graph, node, { ...history, tokens: [] }),
      'verified responses': nodes.verified(graph, node, history.addresses),
      'the network': nodes.network(graph, node),
      calls: compare.forkCalls(graph, call, history),
      'typed reads': compare.forkReads(graph, call, history),
      traces: compare.forkTraces(graph, call),
      simulations: compare.forkSimulations(graph, call, history),
      'the pending state': compare.forkPendingState(graph, call, history),
    };
    const found = new Map<Part, Outcome>();
    for (const part of PARTS) found.set(part, await outcomeOf(comparisons[part]));
    outcomes.set(fork, found);
    await graph.stop();
  } catch (failure) {
    outcomes.set(fork, new Map(PARTS.map((part) => [part, { count: 0, failure }])));
  } finally {
    await anvil.stop();
  }
}

beforeAll(async () => {
  const waiting = [...FORKS];
  const compareNext = async (): Promise<void> => {
    for (let fork = waiting.shift(); fork; fork = waiting.shift()) await compareFork(fork);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, compareNext));
});

describe.each(FORKS)('%s', (fork) => {
  test.each(PARTS)(`under the hard fork ${fork}, %s have the values of the node`, (part) => {
    const { count, failure } = outcomes.get(fork)!.get(part)!;
    if (failure) throw failure;
    expect(count).toBeGreaterThan(0);
  });
});

/**
 * Fields of an anvil chain that never have a value, the mutation, whose transactions the history sends to the node, and encodings, which
 * test/proofs/queries/replayed-blocks.test.ts compares for each fork.
 */
const OTHER_FIELDS = /^(?:Mutation|SyncState)\.|\.raw/;

test('the comparisons under hard forks select each field of the standard schema', () => {
  const standard: Readonly<Record<string, string>> = JSON.parse(
    readFileSync(new URL('../../../schema/standard.json', import.meta.url), 'utf8'),
  );
  const isInput = (coordinate: string) => standard[coordinate.split('.')[0]!] === 'input';
  const fields = Object.keys(standard).filter((name) => /^\w+\.\w+$/.test(name) && !isInput(name) && !OTHER_FIELDS.test(name));
  const selected = selectedFields(composeSchema(domains), queries);
  expect(fields.filter((field) => !selected.has(field))).toEqual([]);
});
