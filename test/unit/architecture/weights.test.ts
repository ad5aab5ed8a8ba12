import { expect, test } from '@jest/globals';
import { getNamedType, isObjectType, isUnionType } from 'graphql';
import { domains } from '../../../src/app/installed-domains.ts';
import { entityWeightName, type FieldWeights, fieldWeightOf } from '../../../src/graphql/cost/field-cost.ts';
import { subgraphSchema } from '../../../src/graphql/federation/compose.ts';
import { domainSubgraph, ownedEntities } from '../../../src/graphql/federation/entities.ts';
import type { AnyDomain } from '../../../src/graphql/federation/sdl.ts';

type Resolver = (...args: never[]) => unknown;

const weights: FieldWeights = Object.assign({}, ...domains.map((domain) => domain.weights));

/** Only the context holds loaders: a function without the parameter for it cannot load. */
const takesContext = (resolver: Resolver, position: number): boolean =>
  resolver.length > position || /\.\.\.|\barguments\b/.test(String(resolver).split('=>')[0]!);

/** The functions of a field: its resolver, or `subscribe` and `resolve` of a subscription. */
const functionsOf = (resolver: unknown): Resolver[] =>
  (typeof resolver === 'object' && resolver !== null ? Object.values(resolver) : [resolver]).filter(
    (candidate): candidate is Resolver => typeof candidate === 'function',
  );

/**
 * Returns the fields that can load: their resolver takes the context, or they return an entity that another domain resolves. A reference to
 * an entity counts as a field.
 */
function loadingFields(all: readonly AnyDomain[]): string[] {
  const subgraphs = all.map(domainSubgraph);
  const entities = ownedEntities(subgraphs, false);
  const references = [...entities.values()]
    .filter(({ resolveReference }) => takesContext(resolveReference, 1))
    .map(({ name }) => entityWeightName(name));
  const fields = subgraphs.flatMap((subgraph) =>
    Object.values(subgraph.schema.getTypeMap())
      .filter(isObjectType)
      .flatMap((type) =>
        Object.values(type.getFields()).flatMap((field) => {
          const isOwn = functionsOf(subgraph.resolvers[type.name]?.[field.name]).some((resolver) => takesContext(resolver, 2));
          const entity = entities.get(getNamedType(field.type).name);
          const isReference = entity !== undefined && entity.owner !== subgraph && takesContext(entity.resolveReference, 1);
          return isOwn || isReference ? [`${type.name}.${field.name}`] : [];
        }),
      ),
  );
  return [...fields, ...references];
}

const unweighted = (all: readonly AnyDomain[], table: FieldWeights): string[] =>
  loadingFields(all).filter((name) => fieldWeightOf(table, ...(name.split('.') as [string, string])) === undefined);

test('every field with a loading resolver has a weight', () => {
  expect(loadingFields(domains).length).toBeGreaterThan(50);
  expect(unweighted(domains, weights)).toEqual([]);
});

test.each(['Query.*', 'Subscription.logs', '_Entity.Duel', 'Wizard.owner', 'Block.nextBaseFeePerGas', 'Transaction.*'])(
  'the rule about weights finds fields without one: %s',
  (removed) => {
    const { [removed]: _removed, ...others } = weights;
    expect(unweighted(domains, others)).not.toEqual([]);
  },
);

test('every weight belongs to a field of the schema', () => {
  const schema = subgraphSchema(domains);
  const unknown = Object.keys(weights).filter((name) => {
    const [typeName, field] = name.split('.') as [string, string];
    const type = schema.getType(typeName);
    if (isUnionType(type)) return !type.getTypes().some(({ name: entity }) => entity === field);
    return !isObjectType(type) || (field !== '*' && !(field in type.getFields()));
  });
  expect(unknown).toEqual([]);
});
