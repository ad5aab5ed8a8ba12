import { composeServices } from '@theguild/federation-composition';
import { stringify } from 'yaml';
import { domains } from '../src/app/installed-domains.ts';
import { subgraphSdl } from '../src/graphql/federation/subgraph-sdl.ts';

/** Composes the subgraphs of all domains. Each has the name of its domain, also as the host name of its service in `deploy/`. */
export function composeSupergraph(): string {
  const services = domains.map((domain) => ({
    name: domain.name,
    url: `http://${domain.name}:4000/graphql`,
    typeDefs: subgraphSdl([domain]),
  }));
  const { supergraphSdl, errors } = composeServices(services);
  if (errors) throw new Error(errors.map(({ message }) => message).join('\n'));
  return supergraphSdl;
}

/** Prints the Kubernetes ConfigMap of the router: its configuration and its supergraph. */
export const printRouterConfigMap = (files: Readonly<Record<string, string>>): string =>
  stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'router' }, data: files }, { lineWidth: 0 });
