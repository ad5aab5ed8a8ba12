import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from '@jest/globals';
import { stopAfterTests } from '../support/cleanups.ts';
import { type ComposeService, readCompose } from '../support/deployment/manifests.ts';
import { waitUntil } from '../support/wait-until.ts';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const NAMES = fileURLToPath(new URL('../support/deployment/container-names.mjs', import.meta.url));

const files = [readCompose(), readCompose('compose.graph.yml')];
const services = files.flatMap((file) => Object.entries(file.services)).filter(([, { image }]) => image === 'grimoire');
// Each service has its own loopback address, with the ports of its container.
const network = `127.${randomInt(1, 255)}.${randomInt(1, 255)}`;
const addresses = Object.fromEntries(services.map(([name], i) => [name, `${network}.${i + 1}`]));

beforeAll(async () => {
  const waiting = new Set(services.map(([name]) => name));
  const isHealthy = (name: string): boolean => !waiting.has(name);
  // In the order of `depends_on`.
  while (waiting.size > 0) {
    const [name, service] = services.find(
      ([name, { depends_on = {} }]) => waiting.has(name) && Object.keys(depends_on).every(isHealthy),
    )!;
    await startService(name, service);
    waiting.delete(name);
  }
});

const environmentOf = (name: string, { environment }: ComposeService): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  TMPDIR: process.env.TMPDIR,
  NODE_ENV: 'production',
  NODE_OPTIONS: `--import=${NAMES}`,
  CONTAINER_ADDRESSES: JSON.stringify(addresses),
  // The address of the container; in the image HOST is 0.0.0.0.
  HOST: addresses[name],
  ...Object.fromEntries(Object.entries(environment).map(([variable, value]) => [variable, String(value ?? '')])),
});

/** Starts a service and waits until its health check passes; without a health check, until `/readyz` is 200. */
async function startService(name: string, service: ComposeService): Promise<void> {
  const child = spawn(process.execPath, [MAIN, ...(service.command ?? ['serve'])], {
    env: environmentOf(name, service),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  stopAfterTests(async () => {
    const exited = child.exitCode === null && once(child, 'exit');
    child.kill('SIGINT');
    await exited;
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk;
  });
  const [, ...check] = service.healthcheck?.test ?? [];
  await waitUntil(async () => {
    if (child.exitCode !== null) throw new Error(`${name} has exited: ${errors}`);
    return check.length > 0 ? await passes(check, name) : (await get(name, '/readyz').catch(() => undefined))?.status === 200;
  }, `the service ${name} is healthy`);
}

/** Runs the health check of a service, where 127.0.0.1 is the container. */
async function passes([, ...args]: readonly string[], name: string): Promise<boolean> {
  const check = spawn(
    process.execPath,
    args.map((arg) => arg.replace('127.0.0.1', addresses[name]!)),
    { stdio: 'ignore' },
  );
  const [status] = await once(check, 'exit');
  return status === 0;
}

/** Sends a request to a service by its name, as the router does. */
async function get(name: string, path: string, body?: object): Promise<{ status: number; body: string }> {
  const sent = request({
    host: addresses[name],
    port: 4000,
    path,
    method: body ? 'POST' : 'GET',
    headers: { host: `${name}:4000`, 'content-type': 'application/json' },
  });
  sent.end(body && JSON.stringify(body));
  const [response] = await once(sent, 'response');
  return { status: response.statusCode, body: await text(response) };
}

const execute = async (name: string, query: string, variables?: object) =>
  JSON.parse((await get(name, '/graphql', { query, variables })).body);

test('compose services start with their environment, and their subgraphs serve one embedded network by their names', async () => {
  const wizards = await execute('wizards', '{ wizards(first: 1) { nodes { id owner { address } } } }');
  const [{ owner }] = wizards.data.wizards.nodes;
  const representations = [{ __typename: 'Account', address: owner.address, _at: null }];
  const ENTITIES = 'query($representations: [_Any!]!) { _entities(representations: $representations) { ... on Account';
  const chain = await execute('chain', `${ENTITIES} { balance } } }`, { representations });
  expect(chain).toMatchObject({ data: { _entities: [{ balance: expect.stringMatching(/^0x/) }] } });
  const { data } = await execute('tokens', '{ _service { sdl } }');
  expect(data._service.sdl).toContain('type Token');
});

test('the compose file of the one graph starts a graph of all domains, without settings over an embedded network', async () => {
  const { data } = await execute('graph', '{ chainID wizards(first: 1) { nodes { owner { balance } } } }');
  expect(data).toMatchObject({ chainID: '0x7a69', wizards: { nodes: [{ owner: { balance: expect.stringMatching(/^0x/) } }] } });
});
