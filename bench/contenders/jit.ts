import { buildSchema, parse, validate } from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { typeDefs } from '../schema.ts';
import { oncePerDocument, serve } from './http.ts';
import { createLoaders } from './loaders.ts';
import { withResolvers } from './resolvers.ts';

// graphql-jit: a compiled query for each document. Its serializer knows no custom scalars, so JSON.stringify writes the result.

const schema = withResolvers(buildSchema(typeDefs));
const compile = oncePerDocument((query): CompiledQuery => {
  const document = parse(query);
  const [error] = validate(schema, document);
  if (error) throw error;
  const compiled = compileQuery(schema, document);
  if (!isCompiledQuery(compiled)) throw compiled.errors![0]!;
  return compiled;
});

serve(async ({ query, variables }) => JSON.stringify(await compile(query).query({}, createLoaders(), variables)));
