import { buildSchema, execute, parse, validate } from 'graphql17';
import { typeDefs } from '../schema.ts';
import { oncePerDocument, serve } from './http.ts';
import { createLoaders } from './loaders.ts';
import { withResolvers } from './resolvers.ts';

// graphql-js 17: documents are parsed and validated once.

const schema = withResolvers(buildSchema(typeDefs) as never) as unknown as ReturnType<typeof buildSchema>;
const prepare = oncePerDocument((query) => {
  const document = parse(query);
  const [error] = validate(schema, document);
  if (error) throw error;
  return document;
});

serve(async ({ query, variables }) =>
  JSON.stringify(await execute({ schema, document: prepare(query), contextValue: createLoaders(), variableValues: variables })),
);
