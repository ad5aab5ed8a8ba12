import { readFileSync } from 'node:fs';
import { CriticalityLevel, diff } from '@graphql-inspector/core';
import { expect, test } from '@jest/globals';
import { buildSchema, type GraphQLSchema } from 'graphql';
import { domains } from '../../../src/app/installed-domains.ts';
import { composeSchema } from '../../../src/graphql/federation/compose.ts';

/** The schema of the last release; the release updates it (CONTRIBUTING.md). */
const text = readFileSync(new URL('../../../schema/released.graphql', import.meta.url), 'utf8');
const released = buildSchema(text);

/** The changes after which an operation that was valid before can fail. */
const breakingChanges = async (schema: GraphQLSchema): Promise<string[]> =>
  (await diff(released, schema))
    .filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking)
    .map(({ message }) => message);

test('the graph has no breaking change against the last release', async () => {
  expect(await breakingChanges(composeSchema(domains))).toEqual([]);
});

test.each([
  ['a removed field', /"""[^"]*"""\s+gasUsed: Long!\n/, ''],
  ['a field that becomes nullable', 'power: Decimal!', 'power: Decimal'],
  ['an argument that becomes required', 'wizard(', 'wizard(season: Int!'],
  ['a removed enum value', /"""[^"]*"""\s+ELIMINATED\n/, ''],
])('the rule about breaking changes finds %s', async (_case, before, after) => {
  const changed = text.replace(before, after);
  expect(changed).not.toBe(text);
  expect(await breakingChanges(buildSchema(changed))).not.toEqual([]);
});
