import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createServiceReader, RestResultCache } from '../../../../../src/domains/wizards/service/service-reader.ts';
import { CallMeter } from '../../../../../src/upstream/call-meter.ts';
import { createRestClient, type RestClient } from '../../../../../src/upstream/rest/rest-client.ts';
import { hashOf } from '../../../../support/graph/stubbed-graph.ts';
import { WIZARD_CREDENTIALS } from '../../../../support/secrets.ts';
import { type ScriptedWizardService, startScriptedWizardService } from '../../../../support/upstream/scripted-wizard-service.ts';

/** The limit of calls on the way to the wizard service: two GETs here. */
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

const body = (told: unknown): unknown => told;
const head = { hash: hashOf(1) };

const readerOf = (meter: CallMeter, cache: RestResultCache, follower?: { head: typeof head }) =>
  createServiceReader(
    { rest, cache },
    { operation: { signal: AbortSignal.timeout(60_000), isVolatile: false, meter }, follower },
  );

test.each([
  ['where the head is known', { head }],
  ['where it is not', undefined],
])('a GET beyond the limit of calls is not sent, %s', async (_case, follower) => {
  const meter = new CallMeter(2);
  const read = readerOf(meter, new RestResultCache(), follower);
  await Promise.all([read('/wizards', body), read('/duels', body)]);
  await expect(read('/wizards?owner=0x1', body)).rejects.toMatchObject({
    extensions: { code: 'RESULT_TOO_LARGE', limit: 2, actual: 3, setting: 'MAX_COST' },
  });
  expect(service.takePaths()).toEqual(['/wizards', '/duels']);
  expect(meter).toMatchObject({ requests: 2, calls: 2 });
});

test('an operation that waits for the same GET does not get the error of another limit', async () => {
  const kept = new RestResultCache();
  const [spent, fresh] = [new CallMeter(0), new CallMeter(1)];
  const refused = readerOf(spent, kept, { head })('/wizards', body);
  const read = readerOf(fresh, kept, { head })('/wizards', body);
  await expect(refused).rejects.toMatchObject({ extensions: { code: 'RESULT_TOO_LARGE' } });
  expect(await read).toEqual({ wizards: [] });
  expect(fresh).toMatchObject({ spent: 1, calls: 1 });
});

test('a repeated GET is a further request, and costs nothing more', async () => {
  let tries = 0;
  service.script = () => {
    tries += 1;
    return tries === 1 ? { status: 503, body: {} } : undefined;
  };
  const meter = new CallMeter(5);
  await readerOf(meter, new RestResultCache())('/wizards', body);
  expect(meter).toMatchObject({ spent: 1, requests: 2, calls: 2 });
});
