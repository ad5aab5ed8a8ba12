// Composes running subgraphs into a supergraph:
//   node compose.mjs chain=http://127.0.0.1:4001/graphql tokens=http://127.0.0.1:4002/graphql > supergraph.graphql
import { composeServices } from '@theguild/federation-composition';
import { parse } from 'graphql';

async function readSdl(url) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ _service { sdl } }' }),
  });
  const { data, errors } = await response.json();
  if (errors) throw new Error(`${url}: ${errors[0].message}`);
  return data._service.sdl;
}

const services = await Promise.all(
  process.argv.slice(2).map(async (argument) => {
    const [name, url] = argument.split(/=(.*)/s);
    return { name, url, typeDefs: parse(await readSdl(url)) };
  }),
);
const { supergraphSdl, errors } = composeServices(services);
if (errors?.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'));
process.stdout.write(supergraphSdl);
