import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { composeServices } from '@theguild/federation-composition';
import {
  type DocumentNode,
  type GraphQLField,
  getNamedType,
  getOperationAST,
  isCompositeType,
  isObjectType,
  parse,
  print,
  visit,
} from 'graphql';
import { domains } from '../../../../src/app/installed-domains.ts';
import { CostEstimate } from '../../../../src/graphql/cost/estimate.ts';
import { assumedNumber, type FieldWeight, type FieldWeights, type ListLength } from '../../../../src/graphql/cost/field-cost.ts';
import type { PricedOperation } from '../../../../src/graphql/cost/operation-reader.ts';
import { withChainFields } from '../../../../src/graphql/federation/chains.ts';
import { composeSchema, subgraphSchema } from '../../../../src/graphql/federation/compose.ts';
import { ROUTER_COST_UNIT } from '../../../../src/graphql/federation/cost-directives.ts';
import { subgraphSdl } from '../../../../src/graphql/federation/subgraph-sdl.ts';
import { createOperationGenerator } from '../../../proofs/fuzz/operations.ts';
import { createPublishedEstimate } from '../../../support/costs/published-estimate.ts';
import { selectEveryField } from '../../../support/graph/every-field.ts';
import { createRandomChoices } from '../../../support/random-choices.ts';
import { readSeed, runSize } from '../../../support/random-tests.ts';

const docs = readFileSync(new URL('../../../../docs/costs.md', import.meta.url), 'utf8');
const schema = composeSchema(domains);
const weights: FieldWeights = Object.assign({}, ...domains.map((domain) => domain.weights));
const limits = { MAX_COST: 5_000, MAX_BLOCKS: 100 };

/** The SDL that a router of these domains reads. */
function supergraph(): DocumentNode {
  const services = domains.map((domain) => ({ name: domain.name, typeDefs: subgraphSdl([domain]) }));
  const { supergraphSdl, errors } = composeServices(services);
  expect(errors ?? []).toEqual([]);
  return parse(supergraphSdl!);
}

const publishedEstimate = createPublishedEstimate(supergraph(), 10);
/** For a router of one subgraph with all domains. */
const federatedEstimate = createPublishedEstimate(subgraphSdl(domains), 10);

/** The estimate of a router, in the unit of MAX_COST. */
const published = ({ document, operation, variables }: PricedOperation, estimate = publishedEstimate): number =>
  estimate(document, operation, variables) / ROUTER_COST_UNIT;

/** The price of an operation, not rounded. */
function priceOf(operation: PricedOperation, table: FieldWeights, head?: number): number {
  const { statedCost, assumedCost } = new CostEstimate(operation, { limits, facts: { head } }, table);
  return statedCost + assumedCost;
}

/** The weight of a list that is at most as long as routers assume. */
const shortList = (field: string): FieldWeight => {
  const { size, ...weight } = weights[field]! as { size: ListLength };
  return { ...weight, size: { ...size, of: (...args) => Math.min(size.assumed, size.of(...args)) } };
};
/** The weights without the documented exceptions, ranges of more blocks and simulations of more calls and blocks than routers assume. */
const withShortRanges = withChainFields<FieldWeight>({
  ...weights,
  'Query.blocks': shortList('Query.blocks'),
  'Query.simulate': { ...shortList('Query.simulate'), fixedCalls: assumedNumber(weights['Query.simulate']!.fixedCalls!) },
});

const isAtMost = (price: number, estimate: number): boolean => price <= estimate + 1e-6;

const priced = (
  query: string | DocumentNode,
  variables: Readonly<Record<string, unknown>> = {},
  name?: string,
): PricedOperation => {
  const document = typeof query === 'string' ? parse(query) : query;
  return { schema, document, operation: getOperationAST(document, name)!, variables };
};

const withoutTypename = (query: string): DocumentNode =>
  visit(parse(query, { noLocation: true }), { Field: ({ name }) => (name.value === '__typename' ? null : undefined) });

const seed = readSeed();
const draw = createRandomChoices(seed);

const randomHead = (): number | undefined => (draw.chance(0.8) ? draw.below(80) : undefined);

function createRandomOperations(): () => PricedOperation {
  const hashes = draw.many(20, () => draw.hex(32));
  const addresses = draw.many(20, () => draw.hex(20));
  const signed = draw.many(5, () => draw.hex(100));
  const world = { height: 60, blocks: hashes, transactions: hashes, addresses, topics: hashes, duels: hashes, signed };
  const generate = createOperationGenerator(schema, world);
  return () => {
    for (;;) {
      const { query, variables, operationName, isWellFormed } = generate(draw);
      if (isWellFormed && !query.includes('__schema'))
        return priced(withoutTypename(query), JSON.parse(variables), operationName);
    }
  };
}

test(`router estimates of random operations are at least the price of the server, seed ${seed}`, () => {
  const next = createRandomOperations();
  for (let count = 0; count < runSize(300, 10_000); count++) {
    const operation = next();
    const estimate = published(operation);
    const prices = [undefined, randomHead()].map((head) => priceOf(operation, withShortRanges, head));
    const estimates = [estimate, published(operation, federatedEstimate)];
    if (!isAtMost(Math.max(...prices), Math.min(...estimates)))
      expect({ text: print(operation.document), variables: operation.variables, prices }).toEqual({ estimate });
  }
});

const ARGUMENTS: Record<string, string> = {
  filter: '{}',
  first: '7',
  contracts: '["0x5fbdb2315678afecb367f032d93f642f64180aa3"]',
  addresses: '["0x5fbdb2315678afecb367f032d93f642f64180aa3"]',
  from: '1',
  to: '30',
};

const rootFields = [schema.getQueryType()!, schema.getMutationType()!, schema.getSubscriptionType()!].flatMap((root) =>
  Object.values(root.getFields()).map((field) => [`${root.name}.${field.name}`, root, field] as const),
);

/** Levels of objects that the next test selects. */
const SELECTION_DEPTH = 3;

/** Whether the selection of a field at the last level would be `__typename` alone, which costs nothing in a router. */
const selectsOnlyTypename = ({ type }: GraphQLField<unknown, unknown>, path: readonly string[]): boolean => {
  const named = getNamedType(type);
  if (!isObjectType(named) || path.length < SELECTION_DEPTH - 1) return false;
  return Object.values(named.getFields()).every((field) => isCompositeType(getNamedType(field.type)));
};

test.each(rootFields)(
  'the router estimate of every field below %s is at least the price of the server',
  (_title, root, field) => {
    const selection = selectEveryField(root, SELECTION_DEPTH, {
      valueFor: (_field, argument) => ARGUMENTS[argument],
      implementations: (type) => schema.getPossibleTypes(type),
      skip: (one, path) => (path.length === 0 ? one.name !== field.name : selectsOnlyTypename(one, path)),
    });
    const operation = priced(`${root.name.toLowerCase()} ${selection}`);
    expect(published(operation)).toBeGreaterThan(0);
    expect(priceOf(operation, weights)).toBeLessThanOrEqual(published(operation) + 1e-6);
  },
);

describe('exceptions', () => {
  test('the server charges more than a router for a range of more blocks than MAX_BLOCKS', () => {
    const operation = priced('{ blocks(from: 0, to: 999) { number } }');
    expect([priceOf(operation, weights), published(operation)]).toEqual([expect.closeTo(1_020), expect.closeTo(102)]);
  });

  test('the server charges more than a router for __typename', () => {
    const operation = priced('{ block { __typename } }');
    expect([priceOf(operation, weights), published(operation)]).toEqual([expect.closeTo(1.02), expect.closeTo(1.01)]);
  });

  test('docs/costs.md lists the lists whose length an argument states that @listSize cannot describe, or that the chain determines', () => {
    const rows = [...docs.matchAll(/^\| `(\w+\.\w+)` \| (\d+) \|/gm)].map(([, field, size]) => [field, Number(size)]);
    const lengths = Object.entries(weights).flatMap(([name, { size }]) =>
      typeof size === 'object' && !size.slicingArguments ? [[name, size.assumed]] : [],
    );
    expect(rows).toEqual(lengths.sort());
  });
});

test('the default value of each slicing argument is the length that the server assumes', () => {
  const defaults = Object.entries(weights).flatMap(([name, { size }]) => {
    if (typeof size !== 'object' || !size.slicingArguments) return [];
    const [typeName, fieldName] = name.split('.') as [string, string];
    const type = schema.getType(typeName);
    const field = isObjectType(type) ? type.getFields()[fieldName] : undefined;
    return [[name, field?.args.find((argument) => argument.name === size.slicingArguments![0])?.defaultValue, size.assumed]];
  });
  expect(defaults.length).toBeGreaterThan(5);
  expect(defaults.filter(([, inSdl, assumed]) => inSdl !== assumed)).toEqual([]);
});

test('one object of `representations` costs as much as the list of it, to which graphql-js coerces it', () => {
  const reads = Array.from({ length: 9 }, (_none, i) => `e${i}: read(function: "f(uint256)(uint256)", args: [${i}]) { data }`);
  const document = parse(`query ($r: [_Any!]!) { _entities(representations: $r) { ... on Account { ${reads.join(' ')} } } }`);
  const operation = getOperationAST(document)!;
  const account = { __typename: 'Account', address: `0x${'1'.repeat(40)}`, _at: null };
  const priceWith = (r: unknown) => priceOf({ schema: subgraphSchema(domains), document, operation, variables: { r } }, weights);
  expect(priceWith(account)).toBe(priceWith([account]));
  expect(priceWith([account])).toBeGreaterThan(9);
});
