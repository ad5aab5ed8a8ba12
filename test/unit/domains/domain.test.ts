import { describe, expect, test } from '@jest/globals';
import { domains } from '../../../src/app/installed-domains.ts';
import { assembleSettings } from '../../../src/config/core-settings.ts';
import { isSubgraph } from '../../../src/config/setting-checks.ts';
import { readSettings } from '../../../src/config/settings.ts';
import { servedDomains } from '../../../src/domains/domain.ts';

const settings = (values: Record<string, string>) => readSettings(assembleSettings(domains), {}, values);
const served = (values: Record<string, string>) => servedDomains(domains, settings(values)).map(({ name }) => name);
const RPC_URL = 'http://node.example';

describe('served domains', () => {
  test.each<[string, Record<string, string>, string[]]>([
    ['all without settings', {}, ['chain', 'tokens', 'webhooks', 'wizards']],
    ['those with a service over a node', { RPC_URL }, ['chain', 'tokens']],
    ['one by its name', { DOMAIN: 'wizards' }, ['wizards']],
    ['several by their names, in the order of their SDL', { DOMAIN: 'tokens, chain', RPC_URL }, ['chain', 'tokens']],
  ])('served domains are %s', (_case, values, expected) => {
    expect(served(values)).toEqual(expected);
  });

  test.each<[string, Record<string, string>, string]>([
    [
      'an unknown name',
      { DOMAIN: 'wizard,chain' },
      'DOMAIN (or --domain) names "wizard". Pass one or several of: chain, tokens, webhooks, wizards.',
    ],
    [
      'a disabled domain',
      { DOMAIN: 'wizards', RPC_URL },
      'DOMAIN (or --domain) names wizards, which is disabled: set WIZARDS_URL to their service.',
    ],
  ])('served domains are an error for %s', (_case, values, message) => {
    expect(() => served(values)).toThrow(expect.objectContaining({ code: 'BAD_USER_INPUT', message }));
  });
});

test.each<[Record<string, string>, boolean]>([
  [{}, false],
  [{ FEDERATED: 'on' }, true],
  [{ DOMAIN: 'chain' }, true],
])('settings %j make the graph a subgraph: %s', (values, expected) => {
  expect(isSubgraph(settings(values))).toBe(expected);
});
