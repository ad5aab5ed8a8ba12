// Apollo Gateway over the subgraphs: PORT=4000 node apollo-gateway.mjs supergraph.graphql
// With CHAIN_URL, the endpoint of the chain subgraph, all subgraphs of a query read one block.
import { readFileSync } from 'node:fs';
import { ApolloGateway, RemoteGraphQLDataSource } from '@apollo/gateway';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { GraphQLError, Kind, parse, print, visit } from 'graphql';
import { forwardedHeaders, pinToHead } from './request-headers.mjs';

const { CHAIN_URL, PORT = '4000' } = process.env;

class Subgraph extends RemoteGraphQLDataSource {
  willSendRequest({ request, context }) {
    for (const [name, value] of Object.entries(context.headers ?? {})) request.http.headers.set(name, value);
  }

  // By default, the error of a response with another status than 200 is INTERNAL_SERVER_ERROR.
  async errorFromResponse(response) {
    const error = await super.errorFromResponse(response);
    const [cause] = error.extensions.response.body?.errors ?? [];
    return cause ? new GraphQLError(cause.message, { extensions: cause.extensions }) : error;
  }
}

/**
 * Apollo Gateway cannot enforce `@authenticated`, so it rejects a supergraph with it. Removes it, because the subgraphs check the callers
 * of these fields themselves. Do not use this with a subgraph that leaves the check to the router.
 */
const withoutAuthenticated = (supergraph) => {
  const isLink = ({ name, arguments: [url] }) => name.value === 'link' && /\/authenticated\//.test(url.value.value);
  const remove = (node) =>
    node.name.value === 'authenticated' || (node.kind === Kind.DIRECTIVE && isLink(node)) ? null : undefined;
  return print(visit(parse(supergraph), { Directive: remove, DirectiveDefinition: remove }));
};

const gateway = new ApolloGateway({
  supergraphSdl: withoutAuthenticated(readFileSync(process.argv[2], 'utf8')),
  buildService: ({ url }) => new Subgraph({ url }),
});
const { url } = await startStandaloneServer(new ApolloServer({ gateway, introspection: true }), {
  listen: { host: '127.0.0.1', port: Number(PORT) },
  async context({ req }) {
    const headers = forwardedHeaders(req.headers);
    return { headers: CHAIN_URL ? await pinToHead(CHAIN_URL, headers) : headers };
  },
});
console.log(`Apollo Gateway listens on ${url}`);
