import { createServer, type ServerResponse } from 'node:http';
import { WIZARD_CREDENTIALS } from '../secrets.ts';
import { startTestServer } from '../test-server.ts';
import { addressOf, hashOf } from './rpc-fixtures.ts';

/** Responds instead of the service; undefined leaves the request to it. A null response is 404. */
export type WizardServiceScript = (
  path: string,
  response: ServerResponse,
) => { status?: number; body: unknown } | 'handled' | undefined;

/** A wizard service over real HTTP with the resources that a test sets. */
export interface ScriptedWizardService {
  readonly url: string;
  /** Settings of a graph over the service. */
  readonly settings: Readonly<Record<'WIZARDS_URL' | 'WIZARDS_API_TOKEN' | 'WIZARDS_EMAIL', string>>;
  wizards: any[];
  duels: any[];
  script: WizardServiceScript | undefined;
  /** Returns the requested paths since the last call, without the base and the key. */
  takePaths(): string[];
  stop(): Promise<void>;
}

const BASE = '/api/v1';

export async function startScriptedWizardService(): Promise<ScriptedWizardService> {
  const requested: string[] = [];
  const server = createServer((request, response) => {
    const { headers, url = '' } = request;
    const path = url.slice(BASE.length).replace(/[?&]apikey=[^&]*$/, '');
    requested.push(path);
    const emitted = service.script?.(path, response);
    if (emitted === 'handled') return;
    const isLetIn =
      url.startsWith(`${BASE}/`) &&
      new RegExp(`[?&]apikey=${WIZARD_CREDENTIALS.key}$`).test(url) &&
      headers['x-api-token'] === WIZARD_CREDENTIALS.token &&
      headers['x-email'] === WIZARD_CREDENTIALS.email &&
      headers['content-type'] === 'application/json';
    const { status = 200, body } = !isLetIn ? { status: 401, body: null } : (emitted ?? respondFromLists(service, path));
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const { url: origin, stop } = await startTestServer(server);
  const { key, token, email } = WIZARD_CREDENTIALS;
  const url = `${origin}${BASE}/?apikey=${key}`;
  const service: ScriptedWizardService = {
    url,
    settings: { WIZARDS_URL: url, WIZARDS_API_TOKEN: token, WIZARDS_EMAIL: email },
    wizards: [],
    duels: [],
    script: undefined,
    takePaths: () => requested.splice(0),
    stop,
  };
  return service;
}

const NOT_FOUND = { status: 404, body: { error: 'not found' } };

function respondFromLists({ wizards, duels }: ScriptedWizardService, path: string): { status?: number; body: unknown } {
  const { pathname, searchParams: given } = new URL(path, 'http://x');
  const [, list, id] = pathname.split('/');
  const all = list === 'wizards' ? wizards : list === 'duels' ? duels : undefined;
  if (!all) return NOT_FOUND;
  if (id !== undefined) {
    const found = all.find((one) => String(one.id) === decodeURIComponent(id));
    return found ? { body: found } : NOT_FOUND;
  }
  const unknown = [...given.keys()].find((name) => !(list === 'wizards' ? WIZARD_FILTERS : DUEL_FILTERS).has(name));
  if (unknown) return { status: 400, body: { error: `no parameter ${unknown}` } };
  const tests = [...given].map(([name, value]) => (list === 'wizards' ? WIZARD_FILTERS : DUEL_FILTERS).get(name)!(value));
  return { body: { [list!]: all.filter((one) => tests.every((test) => test(one))) } };
}

type RowFilter = (value: string) => (one: any) => boolean;

const WIZARD_FILTERS: ReadonlyMap<string, RowFilter> = new Map<string, RowFilter>([
  ['owner', (value) => (one) => one.owner === value],
  ['affinity', (value) => (one) => String(one.affinity) === value],
  ['minPower', (value) => (one) => BigInt(one.power) >= BigInt(value)],
  ['maxPower', (value) => (one) => BigInt(one.power) <= BigInt(value)],
]);

const DUEL_FILTERS: ReadonlyMap<string, RowFilter> = new Map<string, RowFilter>([
  ['wizardIds', (value) => (one) => value.split(',').some((id) => id === one.wizard1Id || id === one.wizard2Id)],
  ['excludeInProgress', (value) => (one) => value !== 'true' || one.endBlock !== null],
  ['excludeFinished', (value) => (one) => value !== 'true' || one.endBlock === null],
  ['startBlockFrom', (value) => (one) => one.startBlock >= Number(value)],
  ['startBlockTo', (value) => (one) => one.startBlock <= Number(value)],
  ['endBlockFrom', (value) => (one) => one.endBlock !== null && one.endBlock >= Number(value)],
  ['endBlockTo', (value) => (one) => one.endBlock !== null && one.endBlock <= Number(value)],
]);

/** A wizard resource; a test overrides fields. */
export const wizardFixture = (n: number, changes: Record<string, unknown> = {}) => ({
  id: String(n),
  owner: addressOf(0xa0 + n),
  affinity: 2 + (n % 3),
  initialPower: '100000000000000000000',
  power: String(10n ** 20n + BigInt(n)),
  eliminatedBlockNumber: null,
  createdBlockNumber: n,
  ...changes,
});

/** A finished duel between the wizards 1 and 2, won by wizard 1. */
export const duelFixture = (n: number, changes: Record<string, unknown> = {}) => ({
  id: hashOf(0xd0 + n),
  wizard1Id: '1',
  wizard2Id: '2',
  affinity1: 2,
  affinity2: 3,
  startPower1: '100',
  startPower2: '100',
  endPower1: '130',
  endPower2: '70',
  moveSet1: `0x0203040205${'00'.repeat(27)}`,
  moveSet2: `0x0304020202${'00'.repeat(27)}`,
  startBlock: n,
  endBlock: n + 1,
  timeoutBlock: n + 1000,
  timedOut: false,
  isAscensionBattle: false,
  ...changes,
});

/** Fields of a duel in progress. */
export const DUEL_IN_PROGRESS = {
  startPower1: null,
  startPower2: null,
  endPower1: null,
  endPower2: null,
  moveSet1: null,
  moveSet2: null,
  endBlock: null,
} as const;
