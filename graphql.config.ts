/** For editors and other GraphQL tools: the schema, and the operations of this repository. */
export default {
  schema: 'schema/graph.graphql',
  documents: ['examples/*.graphql', 'clients/**/*.{ts,tsx}', 'templates/project/src/**/*.ts'],
};
