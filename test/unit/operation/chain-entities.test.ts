import { expect, test } from '@jest/globals';
import { domains } from '../../../src/app/installed-domains.ts';
import { weightsOfDomains } from '../../../src/graphql/federation/chains.ts';
import { subgraphSchema } from '../../../src/graphql/federation/compose.ts';
import { authenticatedFields } from '../../../src/graphql/federation/subgraph-sdl.ts';
import { NO_BUDGET_LIMITS } from '../../../src/lib/operation-budget.ts';
import { OperationPreparer } from '../../../src/operation/prepare.ts';

/** Operations in which a router names a chain as an entity. */
const sizes = { MAX_TOKENS: 1_000, MAX_DEPTH: 9, MAX_ALIASES: 9, MAX_DIRECTIVES: 9, MAX_ROOT_FIELDS: 9, MAX_FRAGMENTS: 9 };
const preparer = new OperationPreparer({
  schema: subgraphSchema(domains, true),
  limits: { ...NO_BUDGET_LIMITS, ...sizes, MAX_BLOCKS: 100, MAX_COST: 1e6, INTROSPECTION: 'on' },
  weights: weightsOfDomains(domains),
  authenticatedFields: authenticatedFields(domains),
  heightOf: () => 10,
});
const options = { requestId: 'test', origin: { transport: 'http', receivedAt: 0, trace: undefined }, showsCost: true } as const;
const FORMS = [
  (fields: string) => `... on Chain { ${fields} }`,
  (fields: string) => `... on ChainFields { ${fields} }`,
  (fields: string) => `... on _Entity { ... on Chain { ${fields} } }`,
  (fields: string) => `... on ChainFields { ... on Chain { ${fields} } }`,
];
const entity = (selection: string) => `{ _entities(representations: [{ __typename: "Chain", chainID: 5 }]) { ${selection} } }`;

test.each(FORMS)('fields of a chain entity that need a caller have it, and are refused without one (form %#)', (select) => {
  const query = entity(select('webhookEvents { nodes { id } }'));
  const caller = { app: 'shop' };
  expect(preparer.prepare({ query }, { ...options, caller }).caller).toEqual(caller);
  expect(() => preparer.prepare({ query }, options)).toThrow(expect.objectContaining({ code: 'UNAUTHENTICATED' }));
});

test.each(FORMS)('fields of a chain entity are priced as those of `Query.chain`, whose head is unknown (form %#)', (select) => {
  const fields = 'blocks(from: 10, to: 109) { transactions { value gasPrice } }';
  const costOf = (query: string) => preparer.prepare({ query }, options).estimate!;
  expect(costOf(entity(select(fields))) / costOf(`{ chain(id: 5) { ${fields} } }`)).toBeCloseTo(1, 1);
});
