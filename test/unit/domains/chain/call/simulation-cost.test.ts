import { expect, test } from '@jest/globals';
import { type OperationDefinitionNode, parse } from 'graphql';
import { chain } from '../../../../../src/domains/chain/index.ts';
import { tokens } from '../../../../../src/domains/tokens/index.ts';
import { createOperationPricer } from '../../../../../src/graphql/cost/operation-cost.ts';
import type { PricedOperation } from '../../../../../src/graphql/cost/operation-reader.ts';
import { composeSchema } from '../../../../../src/graphql/federation/compose.ts';
import { GraphError } from '../../../../../src/lib/errors.ts';

const schema = composeSchema([chain, tokens]);

const priced = (query: string, variables: Record<string, unknown> = {}): PricedOperation => {
  const document = parse(query);
  return { schema, document, operation: document.definitions[0] as OperationDefinitionNode, variables };
};

const pricer = createOperationPricer({ MAX_COST: 5_000, MAX_BLOCKS: 100 }, chain.weights);

const SIMULATE = 'query ($calls: [CallData!]!) { simulate(calls: $calls) { calls { status } } }';
const callsOf = (count: number) => ({ calls: Array.from({ length: count }, () => ({})) });

test('simulate costs ten small calls and two values per simulated call', () => {
  const cost = (count: number) => pricer.estimate(priced(SIMULATE, callsOf(count)));
  expect(cost(110) - cost(10)).toBe(1_002);
});

test.each<[string, string, number | undefined, number]>([
  ['the calls of all blocks', 'blocks: [{ calls: [{}, {}] }, { calls: [{}] }]', 10, 31],
  ['blocks without calls', 'blocks: [{}, {}, {}]', 10, 2],
  ['blocks up to a height', 'blocks: [{ blockOverrides: { number: 20 } }, {}]', 10, 10],
  ['blocks up to a height above a given block', 'block: 15, blocks: [{ blockOverrides: { number: 20 } }]', 10, 4],
  ['256 blocks up to a far height', 'blocks: [{ blockOverrides: { number: "0x99999" } }]', 10, 255],
  ['256 blocks up to a height above an unknown head', 'blocks: [{ blockOverrides: { number: 20 } }]', undefined, 255],
])('simulate costs ten small calls per call and one per further block: %s', (_case, args, head, expected) => {
  const cost = pricer.estimate(priced(`{ simulate(${args}) { block { number } } }`), { head });
  // The block below the simulation is one small call and two values.
  expect(cost).toBe(Math.ceil(expected + 1.03));
});

test('simulate of more calls than MAX_COST allows is rejected before execution', () => {
  const check = (count: number) => () => pricer.check(priced(SIMULATE, callsOf(count)));
  expect(check(490)).not.toThrow();
  expect(check(510)).toThrow(GraphError);
});

test('feeHistory costs one small call and its values', () => {
  const cost = (blockCount: number) =>
    pricer.estimate(priced(`{ feeHistory(blockCount: ${blockCount}) { blocks { gasUsedRatio } } }`));
  expect(cost(1_000) - cost(500)).toBeCloseTo(500 * 0.02, 1);
});
