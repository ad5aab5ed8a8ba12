import { beforeAll, describe, expect, test } from '@jest/globals';
import { getAddress } from 'ethers';
import { type DevnetWizardServer, startWizardService } from '../../devnet/src/wizard-service/index.ts';
import { developmentAccounts } from '../../devnet/src/world/accounts.ts';
import { untilTestsEnd } from '../support/cleanups.ts';
import { log } from '../support/silent-log.ts';
import { type EmitterChain, startEmitterChain } from '../support/upstream/emitter-chain.ts';

/** The fields of the two resource tables of the service document, copied by hand in their order, each with its accepted values. */
const INTEGER = expect.any(Number);
const DECIMAL = expect.stringMatching(/^(?:0|[1-9]\d*)$/);
const WORD = expect.stringMatching(/^0x[0-9a-f]{64}$/);
const WIZARD = {
  id: DECIMAL,
  owner: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
  affinity: INTEGER,
  initialPower: DECIMAL,
  power: DECIMAL,
  eliminatedBlockNumber: null,
  createdBlockNumber: INTEGER,
};
const DUEL_IN_PROGRESS = {
  id: WORD,
  wizard1Id: DECIMAL,
  wizard2Id: DECIMAL,
  affinity1: INTEGER,
  affinity2: INTEGER,
  startPower1: null,
  startPower2: null,
  endPower1: null,
  endPower2: null,
  moveSet1: null,
  moveSet2: null,
  startBlock: INTEGER,
  endBlock: null,
  timeoutBlock: INTEGER,
  timedOut: false,
  isAscensionBattle: expect.any(Boolean),
};
const [NOTSET, NEUTRAL, FIRE, WIND, WATER] = [0, 1, 2, 3, 4];

const TOKEN = 'a-token-of-its-own';
const EMAIL = 'wizard@example.org';
const HEADERS = { 'content-type': 'application/json', 'x-api-token': TOKEN, 'x-email': EMAIL };
const [alice, bob, carol] = developmentAccounts().map(({ address }) => address) as [string, string, string];
const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;
const word = (digits: string) => `0x${digits.padStart(64, '0')}`;
/** Duel ids. The last one sorts first. */
const [ENDED, TIMED_OUT, IN_PROGRESS] = [word('d3'), word('d2'), word('d1')];
const [MOVES_1, MOVES_2] = [word('0203040203'), word('0402030402')];
const HUGE = 10n ** 30n;

let chain: EmitterChain;
let service: DevnetWizardServer;
/** Block numbers by event. */
let at: Record<'creation' | 'start' | 'end' | 'second' | 'timeout', number>;

const emitEvents = async () => {
  const creation = await chain.mine(
    // Contracts may emit Transfer before or after WizardCreated.
    ['Transfer', ZERO_ADDRESS, alice, 1],
    ['WizardCreated', 1, alice, FIRE, 100],
    ['WizardCreated', 2, bob, WIND, 200],
    ['Transfer', ZERO_ADDRESS, bob, 2],
    ['WizardCreated', 10, alice, WATER, HUGE],
    ['WizardCreated', 3, bob, NEUTRAL, 5],
    ['WizardCreated', 7, carol, NOTSET, 50],
    ['Approval', carol, bob, 7],
  );
  const start = await chain.mine(['DuelStart', ENDED, 1, 2, FIRE, WIND, 77, false, word('c1'), word('c2')]);
  await chain.mine();
  const end = await chain.mine(
    ['DuelEnd', ENDED, 1, 2, MOVES_1, MOVES_2, 100, 200, 130, 170],
    ['WizardPowerChanged', 1, 130],
    ['WizardPowerChanged', 2, 170],
    ['Transfer', carol, bob, 7],
  );
  const second = await chain.mine(
    ['DuelStart', TIMED_OUT, 2, 3, WIND, NEUTRAL, 99, true, word('c3'), word('c4')],
    ['DuelStart', IN_PROGRESS, 1, 10, FIRE, WATER, 2n ** 40n, false, word('c5'), word('c6')],
  );
  const timeout = await chain.mine(
    ['DuelTimeOut', TIMED_OUT, 2, 3, 170, 5, 175, 0],
    ['WizardPowerChanged', 2, 175],
    ['WizardPowerChanged', 3, 0],
    ['WizardEliminated', 3],
  );
  at = { creation, start, end, second, timeout };
  await chain.rpc('eth_sendTransaction', chain.emitTransaction([['WizardCreated', 66, carol, FIRE, 1]], chain.otherContract));
  await chain.mine();
};

beforeAll(async () => {
  chain = await startEmitterChain();
  await emitEvents();
  const { url: rpcUrl, contract } = chain;
  service = untilTestsEnd(await startWizardService({ rpcUrl, contract, token: TOKEN, email: EMAIL, pollMs: 10, log }));
  await service.indexed;
});

/** Returns status and JSON body; rejects for any other body. */
async function getJson(path: string, options: RequestInit = {}): Promise<{ status: number; body: any; headers: Headers }> {
  const response = await fetch(service.url + path, { headers: HEADERS, ...options });
  expect(response.headers.get('content-type')).toBe('application/json');
  return { status: response.status, body: await response.json(), headers: response.headers };
}

const wizardIds = async (query: string) => (await getJson(`/wizards${query}`)).body.wizards.map(({ id }: { id: string }) => id);
const duelIds = async (query: string) => (await getJson(`/duels${query}`)).body.duels.map(({ id }: { id: string }) => id);

test('wizard resource has exactly the documented fields in their order', async () => {
  const { status, body } = await getJson('/wizards/1');
  expect(status).toBe(200);
  expect(Object.keys(body)).toEqual(Object.keys(WIZARD));
  expect(body).toEqual(WIZARD);
});

describe('duel resource', () => {
  test('duel resource has exactly the documented fields in their order', async () => {
    for (const id of [ENDED, TIMED_OUT, IN_PROGRESS]) {
      const { status, body } = await getJson(`/duels/${id}`);
      expect(status).toBe(200);
      expect(Object.keys(body)).toEqual(Object.keys(DUEL_IN_PROGRESS));
    }
  });

  test('resource of a duel in progress has null for powers, move sets and end block', async () => {
    const { body } = await getJson(`/duels/${IN_PROGRESS}`);
    expect(body).toEqual(DUEL_IN_PROGRESS);
    expect(body).toMatchObject({ id: IN_PROGRESS, wizard1Id: '1', wizard2Id: '10', affinity1: 2, affinity2: 4 });
    expect(body).toMatchObject({ startBlock: at.second, timeoutBlock: 2 ** 40, isAscensionBattle: false });
  });
});

describe('wizard list', () => {
  test('wizard list has all wizards, ascending by numeric id', async () => {
    const { status, body } = await getJson('/wizards');
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['wizards']);
    expect(body.wizards.map(({ id }: { id: string }) => id)).toEqual(['1', '2', '3', '7', '10']);
    for (const wizard of body.wizards) expect((await getJson(`/wizards/${wizard.id}`)).body).toEqual(wizard);
  });

  test.each([
    ['the owner', `?owner=${bob}`, ['2', '3', '7']],
    ['the checksummed owner', `?owner=${getAddress(bob)}`, ['2', '3', '7']],
    ['the owner in upper case', `?owner=0x${bob.slice(2).toUpperCase()}`, ['2', '3', '7']],
    ['an owner without wizards', `?owner=${carol}`, []],
    ['an affinity', '?affinity=2', ['1']],
    ['the unset affinity', '?affinity=0', ['7']],
    ['the minimum power, inclusive', '?minPower=130', ['1', '2', '10']],
    ['the maximum power, inclusive', '?maxPower=130', ['1', '3', '7']],
    ['a range of powers', '?minPower=51&maxPower=174', ['1']],
    ['an inverted range of powers', '?minPower=174&maxPower=51', []],
    ['powers above 2^53', `?minPower=${HUGE}&maxPower=${HUGE}`, ['10']],
    ['a power above the largest one', `?minPower=${HUGE + 1n}`, []],
    ['a power of 100 digits', `?maxPower=${'9'.repeat(100)}`, ['1', '2', '3', '7', '10']],
    ['all filters together', `?owner=${bob}&affinity=3&minPower=1&maxPower=1000`, ['2']],
  ])('wizard list is filtered by %s', async (_case, query, ids) => {
    expect(await wizardIds(query)).toEqual(ids);
  });
});

describe('duel list', () => {
  test('duel list has all duels, ascending by start block and id', async () => {
    const { status, body } = await getJson('/duels');
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['duels']);
    expect(body.duels.map(({ id }: { id: string }) => id)).toEqual([ENDED, IN_PROGRESS, TIMED_OUT]);
    for (const duel of body.duels) expect((await getJson(`/duels/${duel.id}`)).body).toEqual(duel);
  });

  test.each<[string, () => string, string[]]>([
    ['one wizard, on either side', () => '?wizardIds=2', [ENDED, TIMED_OUT]],
    ['several wizards, any of them', () => '?wizardIds=10,3', [IN_PROGRESS, TIMED_OUT]],
    ['several wizards, the comma encoded', () => '?wizardIds=10%2C3', [IN_PROGRESS, TIMED_OUT]],
    ['a wizard without duels', () => '?wizardIds=7', []],
    ['excludeInProgress', () => '?excludeInProgress=true', [ENDED, TIMED_OUT]],
    ['excludeFinished', () => '?excludeFinished=true', [IN_PROGRESS]],
    ['excludeInProgress and excludeFinished', () => '?excludeInProgress=true&excludeFinished=true', []],
    [
      'excludeInProgress and excludeFinished set to false',
      () => '?excludeInProgress=false&excludeFinished=false',
      [ENDED, IN_PROGRESS, TIMED_OUT],
    ],
    ['startBlockFrom, inclusive', () => `?startBlockFrom=${at.second}`, [IN_PROGRESS, TIMED_OUT]],
    ['startBlockFrom, the block after', () => `?startBlockFrom=${at.second + 1}`, []],
    ['startBlockTo, inclusive', () => `?startBlockTo=${at.start}`, [ENDED]],
    ['startBlockTo, the block before', () => `?startBlockTo=${at.start - 1}`, []],
    ['endBlockFrom, inclusive, without those in progress', () => `?endBlockFrom=${at.timeout}`, [TIMED_OUT]],
    ['endBlockFrom 0, without those in progress', () => '?endBlockFrom=0', [ENDED, TIMED_OUT]],
    ['endBlockTo, inclusive, without those in progress', () => `?endBlockTo=${at.end}`, [ENDED]],
    ['endBlockTo, the block before', () => `?endBlockTo=${at.end - 1}`, []],
    ['all block parameters', () => `?startBlockFrom=1&startBlockTo=${at.second}&endBlockFrom=1&endBlockTo=${at.end}`, [ENDED]],
    ['wizards and progress together', () => '?wizardIds=1&excludeFinished=true', [IN_PROGRESS]],
  ])('duel list is filtered by %s', async (_case, query, ids) => {
    expect(await duelIds(query())).toEqual(ids);
  });

  test.each([
    ['empty values', '?wizardIds=&excludeFinished=&endBlockTo='],
    ['the misspelt startsBlockFrom', '?startsBlockFrom=999'],
    ['names of the earlier revision', '?startsAfter=999&endsBefore=0'],
  ])('duel list ignores %s', async (_case, query) => {
    expect(await duelIds(query)).toEqual([ENDED, IN_PROGRESS, TIMED_OUT]);
  });
});

describe('wizard service errors', () => {
  const wrong = { error: expect.any(String) };

  const unknownIds = ['/wizards/4', '/wizards/66', `/wizards/${'9'.repeat(78)}`, `/duels/${word('404')}`];
  const unknownPaths = ['/', '/wizard', '/wizards/', '/wizards/1/', '/wizards/1/duels', '/duels/', '/Duels', '//wizards'];
  test.each([...unknownIds, ...unknownPaths, '/control/guess'])('wizard service returns 404 for %s', async (path) => {
    expect(await getJson(path)).toMatchObject({ status: 404, body: wrong });
  });

  test.each([
    ...['/wizards/x', '/wizards/-1', '/wizards/0x1', '/wizards/01', '/wizards/1%2F', '/wizards/%', `/wizards/${'9'.repeat(79)}`],
    ...['/duels/1', `/duels/${word('g')}`, `/duels/${'0'.repeat(64)}`, '/wizards?owner=0x12', '/wizards?affinity=5'],
    ...[
      '/wizards?affinity=02',
      '/wizards?minPower=-1',
      '/wizards?minPower=1.5',
      '/wizards?maxPower=0x1',
      '/duels?wizardIds=1,,2',
    ],
    ...['/wizards?minPower=1&minPower=1', '/wizards?owner=&owner=', '/duels?wizardIds=1,x', '/duels?excludeInProgress=1'],
    ...['/duels?startBlockFrom=latest', '/duels?startBlockTo=-1', '/duels?endBlockFrom=0x1', '/duels?endBlockTo=1.0'],
  ])('wizard service returns 400 for %s', async (path) => {
    expect(await getJson(path)).toMatchObject({ status: 400, body: wrong });
  });

  test.each<[string, Record<string, string>]>([
    ['no token', { 'content-type': 'application/json', 'x-email': EMAIL }],
    ['no e-mail address', { 'content-type': 'application/json', 'x-api-token': TOKEN }],
    ['no content type', { 'x-api-token': TOKEN, 'x-email': EMAIL }],
    ['another content type', { ...HEADERS, 'content-type': 'text/plain' }],
    ['another token', { ...HEADERS, 'x-api-token': 'other-token' }],
    ['an empty token', { ...HEADERS, 'x-api-token': '' }],
    ['the token twice', { ...HEADERS, 'x-api-token': `${TOKEN}, ${TOKEN}` }],
    ['another e-mail address', { ...HEADERS, 'x-email': 'other@example.org' }],
    ['no header at all', {}],
  ])('wizard service returns 401 with %s on each path', async (_case, headers) => {
    for (const path of ['/wizards', '/wizards/1', '/wizards/x', '/duels', `/duels/${ENDED}`]) {
      const { status, body } = await getJson(path, { headers });
      expect([status, body]).toEqual([401, wrong]);
      expect(JSON.stringify(body)).not.toMatch(new RegExp(`${TOKEN}|somebody|example\\.org`));
    }
  });

  test('wizard service returns 503 on each path before the first block is indexed', async () => {
    const unreachable = { rpcUrl: 'http://127.0.0.1:9', contract: chain.contract, token: TOKEN, email: EMAIL, log };
    const blind = await startWizardService(unreachable);
    for (const path of ['/wizards', '/wizards/1', '/duels', `/duels/${ENDED}`]) {
      const response = await fetch(blind.url + path, { headers: HEADERS });
      expect([response.status, await response.json()]).toEqual([503, { error: 'not indexed yet' }]);
    }
    expect(await (await fetch(blind.control)).json()).toMatchObject({ head: null });
    expect((await fetch(`${blind.url}/wizards`)).status).toBe(401);
    expect((await fetch(`${blind.url}/nowhere`, { headers: HEADERS })).status).toBe(404);
  });
});
