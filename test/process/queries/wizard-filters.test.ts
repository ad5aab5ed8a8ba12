import { expect, test } from '@jest/globals';
import { startGraph } from '../../support/graph/running-graph.ts';
import { startScriptedWizardService, wizardFixture } from '../../support/upstream/scripted-wizard-service.ts';

// With a key of all ids for each wizard and filter, this took eight seconds, and twice as many filters 37 s and 3 GB.
test('filters of duels with 500 long ids, on each of 500 wizards, take less than five seconds', async () => {
  const service = await startScriptedWizardService();
  service.wizards = Array.from({ length: 500 }, (_none, i) => wizardFixture(i + 1));
  const graph = await startGraph({ ...service.settings, LOG_LEVEL: 'warn', MAX_EVENT_LOOP_MS: '5000' });
  const ids = service.wizards.map(({ id }) => id.padEnd(195, 'x'));
  const fields = Array.from(
    { length: 30 },
    (_none, i) => `a${i}: duels(filter: { wizardIds: $ids, startBlockFrom: ${i} }) { totalCount }`,
  );
  const { errors } = await graph.execute(`query ($ids: [ID!]) { wizards(first: 500) { nodes { ${fields.join(' ')} } } }`, {
    ids,
  });
  expect(errors).toBeUndefined();
});
