/**
 * Reads the SDL of running subgraphs and prints their supergraph for a router. Usage:
 * `node compose.mjs chain=http://127.0.0.1:4001/graphql tokens=http://127.0.0.1:4002/graphql`
 */
import { composeServices } from '@theguild/federation-composition';
import { parse } from 'graphql';

const subgraphs = await Promise.all(
  process.argv.slice(2).map(async (argument) => {
    const [, name, url] = /^([^=]+)=(.+)$/.exec(argument) ?? [];
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ _service { sdl } }' }),
    });
    const { data } = await response.json();
    return { name, url, typeDefs: parse(data._service.sdl) };
  }),
);
const { errors, supergraphSdl } = composeServices(subgraphs);
if (errors) throw new Error(errors.map(({ message }) => message).join('\n'));
process.stdout.write(supergraphSdl);
