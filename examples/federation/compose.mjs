/**
 * Reads the SDL of running subgraphs and composes their supergraph for a router. Prints it, or writes it to a file. Usage:
 * `node compose.mjs chain=http://127.0.0.1:4001/graphql tokens=http://127.0.0.1:4002/graphql [--out supergraph.graphql]`
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { composeServices } from '@theguild/federation-composition';
import { parse } from 'graphql';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { out: { type: 'string' } } });

function fail(...lines) {
  console.error(lines.join('\n'));
  process.exit(1);
}

/** Reads the SDL of the subgraph that an argument `name=url` names. */
async function readSubgraph(argument) {
  const [, name, url] = /^([^=]+)=(.+)$/.exec(argument) ?? fail(`${argument} is not <name>=<url>`);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ _service { sdl } }' }),
    });
    const { data, errors } = await response.json().catch(() => ({}));
    if (!data) throw new Error(errors?.[0].message ?? `HTTP status ${response.status}, and no GraphQL response`);
    return { name, url, typeDefs: parse(data._service.sdl) };
  } catch (error) {
    return fail(`${name} at ${url}: ${error.cause?.message || error.cause?.code || error.message}`);
  }
}

if (positionals.length === 0) fail('pass the subgraphs as <name>=<url>');
const { errors, supergraphSdl } = composeServices(await Promise.all(positionals.map(readSubgraph)));
if (errors) fail(...errors.map(({ message }) => message));
// A redirection of the shell would leave an empty file after a failure.
if (values.out === undefined) process.stdout.write(supergraphSdl);
else writeFileSync(values.out, supergraphSdl);
