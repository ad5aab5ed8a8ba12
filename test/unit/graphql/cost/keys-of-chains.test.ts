import { expect, test } from '@jest/globals';
import { type OperationDefinitionNode, parse } from 'graphql';
import { domains } from '../../../../src/app/installed-domains.ts';
import { createOperationPricer } from '../../../../src/graphql/cost/operation-cost.ts';
import { weightsOfDomains } from '../../../../src/graphql/federation/chains.ts';
import { subgraphSchema } from '../../../../src/graphql/federation/compose.ts';
import { addressOf } from '../../../support/upstream/rpc-fixtures.ts';

const schema = subgraphSchema(domains, true);
const pricer = createOperationPricer({ MAX_COST: 5_000, MAX_BLOCKS: 100 }, weightsOfDomains(domains));

const estimate = (query: string, variables: Record<string, unknown>): number => {
  const document = parse(query);
  return pricer.estimate({ schema, document, operation: document.definitions[0] as OperationDefinitionNode, variables });
};

const addresses = Array.from({ length: 100 }, (_, i) => addressOf(i));
const tokens = (field: string, chain: string) => `${field}: chain(id: ${chain}) { tokens(addresses: $addresses) { name } }`;
const costOf = (...fields: string[]) => estimate(`query ($addresses: [Address!]!) { ${fields.join(' ')} }`, { addresses });

test('the metadata of tokens of two chains costs twice as much as that of one chain', () => {
  expect(costOf(tokens('a', '1'), tokens('b', '5')) / costOf(tokens('a', '1'))).toBeCloseTo(2, 1);
});

test('the metadata of tokens of one chain costs once, whatever number of fields name the chain', () => {
  expect(costOf(tokens('a', '1'), tokens('b', '"0x1"')) / costOf(tokens('a', '1'))).toBeLessThan(1.1);
});

test('the metadata of tokens of two chain entities costs twice as much as that of one', () => {
  const costOfChains = (...ids: number[]) => {
    const all = ids.map((chainID) => ({ __typename: 'Chain', chainID }));
    const entities = '_entities(representations: $all) { ... on Chain { tokens(addresses: $addresses) { name } } }';
    return estimate(`query ($all: [_Any!]!, $addresses: [Address!]!) { ${entities} }`, { all, addresses });
  };
  expect(costOfChains(1, 5) / costOfChains(1)).toBeCloseTo(2, 1);
});
