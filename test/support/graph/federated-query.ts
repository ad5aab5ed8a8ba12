import type { createTestExecutor } from './domain-fixtures.ts';

type Execute = (
  source: string,
  context?: unknown,
  variables?: Record<string, unknown>,
) => ReturnType<ReturnType<typeof createTestExecutor>>;

/** A query across two subgraphs; `$` in the query stands for the selection of the entity. */
export interface EntityQuery {
  readonly query: string;
  readonly entity: string;
  readonly key: string;
  readonly selection: string;
}

/** The query as a client of the composed graph sends it. */
export const singleGraphQuery = ({ query, selection }: EntityQuery): string => query.replaceAll('$', selection);

/** The data as a federation router assembles it: keys from one subgraph, entities from the other subgraph. */
export async function executeFederated({ query, entity, key, selection }: EntityQuery, from: Execute, to: Execute) {
  const first = await from(query.replaceAll('$', `__typename ${key}`));
  const all: Record<string, unknown>[] = [];
  const isEntity = (value: unknown) => (value as { __typename?: unknown } | null)?.__typename === entity;
  JSON.stringify(first.data, (_name, value) => {
    if (isEntity(value)) all.push(value);
    return value;
  });
  if (all.length === 0) return { ...first, all };
  const source = `query ($all: [_Any!]!) { _entities(representations: $all) { ... on ${entity} { ${selection} } } }`;
  const second = await to(source, undefined, { all });
  const found = [...second.data._entities];
  const put = (value: unknown): unknown => {
    if (isEntity(value)) return found.shift();
    if (Array.isArray(value)) return value.map(put);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, put(one)]));
  };
  return { data: put(first.data), errors: [...first.errors, ...second.errors], all };
}
