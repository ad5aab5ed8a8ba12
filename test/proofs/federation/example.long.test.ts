import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { cleanups } from '../../support/cleanups.ts';
import { sharedDevnet } from '../../support/graph/devnet-setup.ts';
import { executeOverHttp } from '../../support/graph/running-graph.ts';
import { serveGraph } from '../../support/graph/served-graph.ts';

/** The programs of examples/federation. */
const program = (name: string) => fileURLToPath(new URL(`../../../examples/federation/${name}`, import.meta.url));

/** Starts the subgraph of another team; returns its URL without the path. */
async function startForeignSubgraph(): Promise<string> {
  const foreign = spawn(process.execPath, [program('profiles.mjs'), '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  cleanups.push(() => foreign.kill('SIGKILL'));
  const [line] = await once(foreign.stdout, 'data');
  return String(line).trim().replace('/graphql', '');
}

test('the example composes subgraphs of two domains and of another team, whose reference a domain resolves', async () => {
  const DEVNET_URL = sharedDevnet().nodeService.origin;
  const [wizards, others, url] = await Promise.all([
    serveGraph({ DEVNET_URL, DOMAIN: 'wizards' }),
    serveGraph({ DEVNET_URL, DOMAIN: 'chain,tokens' }),
    startForeignSubgraph(),
  ]);
  expect(await (await fetch(`${url}/graphql`)).json()).toEqual({ errors: [{ message: expect.any(String) }] });
  const subgraphs = { wizards: wizards.url, others: others.url, profiles: url };
  const { stdout } = await promisify(execFile)(process.execPath, [
    program('compose.mjs'),
    ...Object.entries(subgraphs).map(([name, at]) => `${name}=${at}/graphql`),
  ]);
  for (const name of ['WIZARDS', 'OTHERS', 'PROFILES'])
    expect(stdout).toContain(`@join__type(graph: ${name}, key: "address _at")`);
  const { data } = await executeOverHttp(url, '{ favouriteWizard { __typename id story } }');
  expect(data.favouriteWizard.story).toContain('grimoire');
  const query = 'query ($all: [_Any!]!) { _entities(representations: $all) { ... on Wizard { id owner { address } } } }';
  const resolved = await wizards.execute(query, { all: [data.favouriteWizard] });
  expect(resolved.errors).toBeUndefined();
  const { address } = resolved.data._entities[0].owner;
  const added = await executeOverHttp(url, query.replace('Wizard { id owner { address } }', 'Account { nickname }'), {
    all: [{ __typename: 'Account', address, _at: null }],
  });
  expect(added.data._entities).toEqual([{ nickname: `owner ${address.slice(-4)}` }]);
});
