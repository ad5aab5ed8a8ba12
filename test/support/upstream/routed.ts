import type { asker } from './fixtures.ts';

type Ask = (source: string, context?: unknown, variables?: Record<string, unknown>) => ReturnType<ReturnType<typeof asker>>;

/** A question that crosses one border: in the query, `$` stands for what is selected of the entity. */
export interface Crossing {
  readonly query: string;
  readonly entity: string;
  readonly key: string;
  readonly selection: string;
}

/** The question as a client of the one graph asks it. */
export const whole = ({ query, selection }: Crossing): string => query.replaceAll('$', selection);

/** The same answer, as a router puts it together: the keys from one subgraph, then the entities from another. */
export async function routed({ query, entity, key, selection }: Crossing, from: Ask, to: Ask) {
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
