import { grafast, context as grafastContext, lambda, makeGrafastSchema } from 'grafast';
import { buildSchema, parse } from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import { buildSchema as buildSchema17, execute as execute17, parse as parse17 } from 'graphql17';
import type { Untyped } from './loaders.ts';

type Execute = () => Promise<string>;

/** The executors of this package over a field with a list. Each resolves with the response as JSON text. */
export function createExecutors(typeDefs: string, query: string, listField: () => unknown): Readonly<Record<string, Execute>> {
  const root = { listField };
  const schema = buildSchema(typeDefs);
  // graphql-jit calls resolvers, but no functions of the root value.
  schema.getQueryType()!.getFields().listField!.resolve = listField;
  const compiled = compileQuery(schema, parse(query));
  if (!isCompiledQuery(compiled)) throw compiled.errors![0]!;
  const [schema17, document17] = [buildSchema17(typeDefs), parse17(query)];
  const planned = makeGrafastSchema({
    typeDefs,
    objects: { Query: { plans: { listField: () => lambda(grafastContext(), listField as () => Untyped) } } },
  });
  return {
    graphql17: async () => JSON.stringify(await execute17({ schema: schema17, document: document17, rootValue: root })),
    jit: async () => JSON.stringify(await compiled.query({}, {}, {})),
    grafast: async () => JSON.stringify(await grafast({ schema: planned, source: query, contextValue: {} })),
  };
}
