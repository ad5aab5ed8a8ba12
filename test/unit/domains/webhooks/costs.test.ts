import { expect, test } from '@jest/globals';
import { type OperationDefinitionNode, parse } from 'graphql';
import { domains } from '../../../../src/app/installed-domains.ts';
import { createOperationPricer } from '../../../../src/graphql/cost/operation-cost.ts';
import { weightsOfDomains } from '../../../../src/graphql/federation/chains.ts';
import { subgraphSchema } from '../../../../src/graphql/federation/compose.ts';
import { hashOf } from '../../../support/upstream/rpc-fixtures.ts';

const schema = subgraphSchema(domains);
const pricer = createOperationPricer({ MAX_COST: 5_000, MAX_BLOCKS: 100 }, weightsOfDomains(domains));

const estimate = (query: string, variables = {}): number => {
  const document = parse(query);
  return pricer.estimate(
    { schema, document, operation: document.definitions[0] as OperationDefinitionNode, variables },
    { head: 1_000 },
  );
};

const SELECTIONS = ['block { timestamp }', 'status', 'block { transactions { value } }', 'block { receipts { gasUsed } }'];

test.each(['MinedTransactionEvent', 'DroppedTransactionEvent'])(
  'the transactions of 100 %ss cost at least as much as 100 references to transactions',
  (type) => {
    const all = Array.from({ length: 100 }, (_, i) => ({ __typename: 'Transaction', hash: hashOf(i) }));
    for (const selection of SELECTIONS) {
      const asEvents = estimate(`{ webhookEvents(first: 100) { nodes { ... on ${type} { transaction { ${selection} } } } } }`);
      const asEntities = estimate(
        `query ($all: [_Any!]!) { _entities(representations: $all) { ... on Transaction { ${selection} } } }`,
        { all },
      );
      expect(asEvents).toBeGreaterThanOrEqual(asEntities);
    }
  },
);

test('the metadata of the tokens of 100 events cost three calls for each token', () => {
  const tokens = (fields: string) =>
    estimate(
      `{ webhookEvents(first: 100) { nodes { ... on AddressActivityEvent { activity { rawContract { token { ${fields} } } } } } } }`,
    );
  expect(tokens('name symbol decimals') - tokens('address a: address b: address')).toBeGreaterThanOrEqual(2 * 100 * 3);
});
