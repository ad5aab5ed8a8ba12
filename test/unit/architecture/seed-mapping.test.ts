import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { resolveSchemaCoordinate } from 'graphql';
import { domains } from '../../../src/app/installed-domains.ts';
import { composeSchema } from '../../../src/graphql/federation/compose.ts';

/** A method or field of the node interface, and the coordinates of the graph that serve it; without any, the reason. */
interface SeedElement {
  readonly seed: string;
  readonly coordinates: readonly string[];
  readonly reason?: string;
}

const mapping: readonly SeedElement[] = JSON.parse(readFileSync(new URL('seed-mapping.json', import.meta.url), 'utf8'));
const schema = composeSchema(domains);

test('each coordinate of the seed mapping exists in the schema', () => {
  const coordinates = new Set(mapping.flatMap((element) => element.coordinates));
  expect(coordinates.size).toBeGreaterThan(180);
  expect([...coordinates].filter((coordinate) => resolveSchemaCoordinate(schema, coordinate) === undefined)).toEqual([]);
});

test('each element of the seed has a coordinate or a reason for having none', () => {
  expect(mapping.filter((element) => element.coordinates.length === 0 && !element.reason)).toEqual([]);
});
