import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createServiceReader, RestResultCache } from '../../../../../src/domains/wizards/service/service-reader.ts';
import { CallMeter } from '../../../../../src/upstream/call-meter.ts';
import { createRestClient, type RestClient } from '../../../../../src/upstream/rest/rest-client.ts';
import { WIZARD_CREDENTIALS } from '../../../../support/secrets.ts';
import { hashOf } from '../../../../support/upstream/rpc-fixtures.ts';
import { type ScriptedWizardService, startScriptedWizardService } from '../../../../support/upstream/scripted-wizard-service.ts';

let service: ScriptedWizardService;
let rest: RestClient;

beforeAll(async () => {
  service = await startScriptedWizardService();
  const headers = { 'x-api-token': WIZARD_CREDENTIALS.token, 'x-email': WIZARD_CREDENTIALS.email };
  rest = createRestClient({ url: service.url, headers, name: 'The wizard service', source: 'wizard' });
});

afterAll(async () => {
  await rest.close();
  await service.stop();
});

beforeEach(() => {
  service.script = undefined;
  service.takePaths();
});

const decode = (body: unknown): unknown => body;
const head = { hash: hashOf(1) };

const readerOf = (meter: CallMeter, cache: RestResultCache, follower?: { head: typeof head }) =>
  createServiceReader(
    { rest, cache },
    { operation: { signal: AbortSignal.timeout(60_000), isVolatile: false, meter }, follower },
  );

test.each([
  ['with a known head', { head }],
  ['without a head', undefined],
])('service reader %s sends no GET beyond MAX_COST', async (_case, follower) => {
  const meter = new CallMeter(2);
  const read = readerOf(meter, new RestResultCache(), follower);
  await Promise.all([read('/wizards', decode), read('/duels', decode)]);
  await expect(read('/wizards?owner=0x1', decode)).rejects.toMatchObject({
    extensions: { code: 'RESULT_TOO_LARGE', limit: 2, actual: 3, setting: 'MAX_COST' },
  });
  expect(service.takePaths()).toEqual(['/wizards', '/duels']);
  expect(meter).toMatchObject({ requests: 2, calls: 2 });
});

test('service reader does not share the RESULT_TOO_LARGE error of another operation', async () => {
  const cache = new RestResultCache();
  const [spent, fresh] = [new CallMeter(0), new CallMeter(1)];
  const rejected = readerOf(spent, cache, { head })('/wizards', decode);
  const read = readerOf(fresh, cache, { head })('/wizards', decode);
  await expect(rejected).rejects.toMatchObject({ extensions: { code: 'RESULT_TOO_LARGE' } });
  expect(await read).toEqual({ wizards: [] });
  expect(fresh).toMatchObject({ spent: 1, calls: 1 });
});

test('service reader counts a retried GET as a request and charges it once', async () => {
  let attempts = 0;
  service.script = () => {
    attempts += 1;
    return attempts === 1 ? { status: 503, body: {} } : undefined;
  };
  const meter = new CallMeter(5);
  await readerOf(meter, new RestResultCache())('/wizards', decode);
  expect(meter).toMatchObject({ spent: 1, requests: 2, calls: 2 });
});
