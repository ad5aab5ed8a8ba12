import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { domains } from '../../../src/app/installed-domains.ts';
import { readChainsFile, secretsOfChains } from '../../../src/config/chains-file.ts';
import { assembleSettings } from '../../../src/config/core-settings.ts';
import { createTemporaryFolder } from '../../support/cleanups.ts';

const definitions = assembleSettings(domains);
const path = join(createTemporaryFolder(), 'chains.json');
const read = (contents: unknown) => {
  writeFileSync(path, typeof contents === 'string' ? contents : JSON.stringify(contents));
  return readChainsFile(path, definitions, ['0x7a6a']);
};
const FIVE = { id: 5, name: 'Five', rpcUrl: 'https://five.example/v2/Zx93kQ7LmP02' };

test('the file of CHAINS has the settings of each chain, and its secrets are masked', () => {
  const seven = {
    ...FIVE,
    id: '0x7',
    wizardsUrl: 'https://wizards.example',
    wizardsApiToken: 'Qm84TokenOfSeven',
    confirmations: 12,
  };
  const [five, other] = read([FIVE, seven]);
  expect(five).toEqual({ id: '0x5', name: 'Five', values: expect.objectContaining({ RPC_URL: [FIVE.rpcUrl], TOKEN_LISTS: [] }) });
  expect(other).toMatchObject({
    id: '0x7',
    values: { WIZARDS_URL: seven.wizardsUrl, WIZARDS_API_TOKEN: seven.wizardsApiToken, CONFIRMATIONS: 12 },
  });
  expect(secretsOfChains(definitions, { CHAINS: path })).toEqual(expect.arrayContaining(['Zx93kQ7LmP02', 'Qm84TokenOfSeven']));
});

test.each<[string, unknown, string]>([
  ['no JSON', 'chains', 'is not JSON'],
  ['no list', {}, 'is not a list'],
  ['no id', [{ ...FIVE, id: undefined }], '[0].id is not a chain id'],
  ['the id 0', [FIVE, { ...FIVE, id: 0 }], '[1].id is not a chain id'],
  ['no name', [{ ...FIVE, name: undefined }], '[0].name'],
  ['no node', [{ ...FIVE, rpcUrl: undefined }], '[0].rpcUrl is missing'],
  ['a node without HTTP', [{ ...FIVE, rpcUrl: 'ftp://five.example' }], '[0].rpcUrl'],
  ['a number that is true', [{ ...FIVE, confirmations: true }], '[0].confirmations expected a whole number from 1 to'],
  ['a setting of the whole server', [{ ...FIVE, port: 4000 }], 'port'],
  ['the id of an embedded chain', [{ ...FIVE, id: 31338 }], 'has the chain id 31338, which an embedded chain has'],
  ['an id twice', [FIVE, { ...FIVE, id: '0x5' }], 'has the chain id 5 twice'],
])('the file of CHAINS is rejected with %s', (_case, contents, problem) => {
  const error = { code: 'BAD_USER_INPUT', message: expect.stringContaining(problem) };
  expect(() => read(contents)).toThrow(expect.objectContaining(error));
});
