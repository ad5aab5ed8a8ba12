import { expect, test } from '@jest/globals';
import { domains } from '../../../src/app/installed-domains.ts';
import { assembleSettings } from '../../../src/config/core-settings.ts';
import { serviceLimits } from '../../../src/config/service-description.ts';
import { integer, readSettings, setting } from '../../../src/config/settings.ts';

const definitions = assembleSettings(domains);

test('the limits of the service are the settings of the core and the domains that limit requests, with their values', () => {
  const limits = serviceLimits(definitions, readSettings(definitions, {}, { MAX_DEPTH: '7', MAX_BLOCKS: '1000' }));
  expect(limits).toEqual(
    expect.arrayContaining([
      { name: 'maxDepth', value: '0x7', setting: 'MAX_DEPTH' },
      { name: 'maxBlocks', value: '0x3e8', setting: 'MAX_BLOCKS' },
      { name: 'wizardsMaxBytes', value: '0x4000000', setting: 'WIZARDS_MAX_BYTES' },
      { name: 'operationTimeoutMs', value: '0x2710', setting: 'OPERATION_TIMEOUT_MS' },
    ]),
  );
  // Each setting that is described as a maximum or a timeout of requests is a limit; a batch and a cache limit no request.
  const described = Object.entries(definitions).filter(([, { about }]) => /^(?:Maximum|Timeout)/.test(about));
  expect(limits.map(({ setting: name }) => name).sort()).toEqual(
    described
      .map(([name]) => name)
      .filter((name) => name !== 'RPC_BATCH' && name !== 'CACHE_BYTES')
      .sort(),
  );
});

test('the limits of the service contain neither secret settings nor unset ones', () => {
  const secret = setting(integer(0), { about: 'Secret', secret: true });
  const unset = setting(integer(0).optional(), { about: 'Unset' });
  expect(serviceLimits({ MAX_SECRET: secret, MAX_UNSET: unset }, { MAX_SECRET: 5, MAX_UNSET: undefined })).toEqual([]);
});
