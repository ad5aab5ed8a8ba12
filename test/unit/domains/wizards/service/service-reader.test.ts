import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import {
  createServiceClient,
  createServiceReader,
  type WizardServiceClient,
} from '../../../../../src/domains/wizards/service/service-reader.ts';
import { NO_BUDGET_LIMITS, OperationBudget } from '../../../../../src/lib/operation-budget.ts';
import { ResponseDependencies } from '../../../../../src/operation/response-dependencies.ts';
import { createRestClient, type RestClient } from '../../../../../src/upstream/rest/rest-client.ts';
import { untilTestsEnd } from '../../../../support/cleanups.ts';
import { WIZARD_CREDENTIALS } from '../../../../support/secrets.ts';
import { hashOf } from '../../../../support/upstream/rpc-fixtures.ts';
import { type ScriptedWizardService, startScriptedWizardService } from '../../../../support/upstream/scripted-wizard-service.ts';

let service: ScriptedWizardService;
let rest: RestClient;

beforeAll(async () => {
  service = await startScriptedWizardService();
  const headers = { 'x-api-token': WIZARD_CREDENTIALS.token, 'x-email': WIZARD_CREDENTIALS.email };
  rest = untilTestsEnd(createRestClient({ url: service.url, headers, name: 'The wizard service', source: 'wizard' }));
});

beforeEach(() => {
  service.script = undefined;
  service.takePaths();
});

const decode = (body: unknown) => body as object;
const head = { hash: hashOf(1) };

const readerOf = (budget: OperationBudget, client: WizardServiceClient, follower?: { head: typeof head }) =>
  createServiceReader(client, {
    operation: { signal: AbortSignal.timeout(60_000), dependencies: new ResponseDependencies(), budget },
    follower,
  });

test.each([
  ['with a known head', { head }],
  ['without a head', undefined],
])('service reader %s sends no GET beyond MAX_COST', async (_case, follower) => {
  const budget = new OperationBudget({ ...NO_BUDGET_LIMITS, MAX_COST: 2 });
  const read = readerOf(budget, createServiceClient(rest), follower);
  await Promise.all([read('/wizards', decode), read('/duels', decode)]);
  await expect(read('/wizards?owner=0x1', decode)).rejects.toMatchObject({
    extensions: { code: 'RESULT_TOO_LARGE', limit: 2, actual: 3, setting: 'MAX_COST' },
  });
  expect(service.takePaths()).toEqual(['/wizards', '/duels']);
  expect(budget).toMatchObject({ requests: 2, calls: 2 });
});

test('service reader does not share the RESULT_TOO_LARGE error of another operation', async () => {
  const client = createServiceClient(rest);
  const [spent, fresh] = [
    new OperationBudget({ ...NO_BUDGET_LIMITS, MAX_COST: 0 }),
    new OperationBudget({ ...NO_BUDGET_LIMITS, MAX_COST: 1 }),
  ];
  const rejected = readerOf(spent, client, { head })('/wizards', decode);
  const read = readerOf(fresh, client, { head })('/wizards', decode);
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
  const budget = new OperationBudget({ ...NO_BUDGET_LIMITS, MAX_COST: 5 });
  await readerOf(budget, createServiceClient(rest))('/wizards', decode);
  expect(budget).toMatchObject({ spent: 1, requests: 2, calls: 2 });
});
