import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import pino from 'pino';
import { type DevnetWizardServer, startWizardService, type WizardFaultsInput } from '../../devnet/src/wizard-service/index.ts';
import { developmentAccounts } from '../../devnet/src/world/accounts.ts';
import { untilTestsEnd } from '../support/cleanups.ts';
import { startTestServer } from '../support/test-server.ts';
import { type EmitterChain, startEmitterChain } from '../support/upstream/emitter-chain.ts';

const TOKEN = 'token';
const EMAIL = 'wizard@example.org';
const HEADERS = { 'content-type': 'application/json', 'x-api-token': TOKEN, 'x-email': EMAIL };
const alice = developmentAccounts()[0]!.address;
const DUEL = `0x${'d'.repeat(64)}`;
const MOVES = `0x${'02'.repeat(32)}`;
const OFF = {
  ...{ latency: 0, failure: null, rateLimit: null, oldNames: false, bareArrays: false, numbersAsStrings: false, lag: 0 },
};

let chain: EmitterChain;
let service: DevnetWizardServer;
/** Whether the proxy of the chain is disconnected. */
let isCut = false;
let second = 0;
const warnings: string[] = [];
const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(JSON.parse(line).msg) });

beforeAll(async () => {
  chain = await startEmitterChain();
  await chain.mine(['WizardCreated', 1, alice, 2, 100], ['WizardCreated', 2, alice, 3, 200]);
  await chain.mine(['DuelStart', DUEL, 1, 2, 2, 3, 77, false, MOVES, MOVES]);
  await chain.mine(['DuelEnd', DUEL, 1, 2, MOVES, MOVES, 100, 200, 150, 150]);
  const proxy = createServer(async (request, response) => {
    if (isCut) return request.socket.resetAndDestroy();
    const body = await text(request);
    const answer = await fetch(chain.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    response.end(await answer.text());
  });
  const { url: rpcUrl } = await startTestServer(proxy);
  service = untilTestsEnd(
    await startWizardService({
      ...{ rpcUrl, contract: chain.contract, token: TOKEN, email: EMAIL, pollMs: 5, controlKey: 'the owner', log },
      now: () => second * 1000,
    }),
  );
  await service.indexed;
});

const control = async (method = 'GET', body?: string) => {
  const response = await fetch(service.control, { method, ...(body !== undefined && { body }) });
  return { status: response.status, body: (await response.json()) as any };
};
const setFaults = (faults: WizardFaultsInput) => control('POST', JSON.stringify({ faults }));
const get = (path: string) => fetch(service.url + path, { headers: HEADERS });
const json = async (path: string) => (await get(path)).json() as any;
/** Resolves when the service has indexed the block with this hash. */
const headIs = async (hash: string) => {
  while ((await control()).body.head?.hash !== hash);
};

afterEach(() => setFaults({}));

describe('control path', () => {
  test('control path returns the head and the faults, all off by default', async () => {
    const head = await chain.head();
    await headIs(head.hash);
    expect(await control()).toEqual({ status: 200, body: { head, faults: OFF } });
    expect(new URL(service.control).pathname).toBe('/control/the%20owner');
  });

  test.each(['{', '[]', '{"fault":{}}', '{"faults":{"latency":-1}}', '{"faults":{"failure":{"kind":"fire"}}}'])(
    'control path rejects %s and changes nothing',
    async (body) => {
      expect(await control('POST', body)).toEqual({ status: 400, body: { error: expect.any(String) } });
      expect((await control()).body.faults).toEqual(OFF);
    },
  );
});

describe('wizard service faults', () => {
  test.each([
    [{ kind: 'status', status: 502 }, 502, '<h1>502</h1>'],
    [{ kind: 'html' }, 200, expect.stringMatching(/^</)],
  ] as const)('fault %j returns a text page', async (failure, status, page) => {
    await setFaults({ failure });
    const response = await get('/wizards');
    expect([response.status, response.headers.get('content-type')]).toEqual([status, 'text/html']);
    expect(await response.text()).toEqual(page);
  });

  test('fault rateLimit returns 429 over the limit until the next second', async () => {
    await setFaults({ rateLimit: 2 });
    const three = async () => (await Promise.all([get('/wizards'), get('/duels'), get('/wizards')])).map(({ status }) => status);
    expect((await three()).sort()).toEqual([200, 200, 429]);
    const refused = await get('/wizards');
    expect([refused.headers.get('retry-after'), await refused.json()]).toEqual(['1', { error: 'too many requests' }]);
    second += 1;
    expect((await three()).sort()).toEqual([200, 200, 429]);
  });

  test('fault lag responds from a block behind the head', async () => {
    const { number, hash } = await chain.head();
    const behind = await chain.rpc('eth_getBlockByNumber', `0x${(number - 2).toString(16)}`, false);
    await setFaults({ lag: 2 });
    await headIs(behind.hash);
    expect(await json('/duels')).toEqual({ duels: [] });
    await setFaults({});
    await headIs(hash);
    expect((await json('/duels')).duels).toHaveLength(1);
  });
});

test('wizard service serves its last state with one warning while the chain is unavailable, and recovers', async () => {
  const before = await json('/wizards');
  isCut = true;
  warnings.length = 0;
  while (warnings.length === 0) expect(await json('/wizards')).toEqual(before);
  await chain.mine(['WizardPowerChanged', 1, 999]);
  expect((await json('/wizards/1')).power).toBe('100');
  isCut = false;
  await headIs((await chain.head()).hash);
  expect((await json('/wizards/1')).power).toBe('999');
  expect(warnings).toEqual(['the wizard service cannot read the chain']);
});
