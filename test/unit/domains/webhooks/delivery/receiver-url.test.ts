import { expect, test } from '@jest/globals';
import { isPublicAddress, pinnedLookup, resolveReceiver } from '../../../../../src/domains/webhooks/delivery/receiver-address.ts';
import { checkReceiverUrl } from '../../../../../src/domains/webhooks/delivery/receiver-url.ts';
import { GraphError } from '../../../../../src/lib/errors.ts';
import { attackHosts, attackUrls } from '../../../../support/webhooks/attack-urls.ts';

const strict = { allowsPrivate: false, exempt: new Set<string>() };

function isPermitted(url: string, options: Parameters<typeof checkReceiverUrl>[1] = strict): boolean {
  try {
    checkReceiverUrl(url, options);
    return true;
  } catch (error) {
    expect((error as GraphError).code).toBe('BAD_USER_INPUT');
    return false;
  }
}

test('more than 300 URLs of receivers inside a network are rejected', () => {
  const urls = [...attackHosts.map((host) => `https://${host}/hooks`), ...attackUrls];
  expect(new Set(urls).size).toBeGreaterThan(300);
  expect(urls.filter((url) => isPermitted(url))).toEqual([]);
});

test.each([
  'https://hooks.example.com/',
  'https://hooks.example.com',
  'HTTPS://Hooks.Example.COM:443/a?b=c#d',
  'https://hooks.example.com:8443/a@b',
  'https://hooks.example.com./',
  'https://xn--bcher-kva.example/',
  'https://bücher.example/',
  'https://my_service.example.com/',
  'https://a.b.example.com/',
  'https://8.8.8.8/',
  'https://[2606:4700::1111]/',
  'https://localhost.example.com/',
  'https://internal.example.com/',
])('%s is permitted', (url) => {
  expect(isPermitted(url)).toBe(true);
});

test('http, other ports and private hosts are permitted where private receivers are', () => {
  const options = { ...strict, allowsPrivate: true };
  const longest = `http://localhost/${'a'.repeat(2_048 - 17)}`;
  for (const url of ['http://localhost:3000/', 'http://10.0.0.1/', 'https://[::1]:9000/', longest])
    expect(isPermitted(url, options)).toBe(true);
  for (const url of ['ftp://localhost/', 'http://user@localhost/', 'https://', `${longest}a`])
    expect(isPermitted(url, options)).toBe(false);
});

test('the exempt URL is the only permitted URL that is not public', () => {
  const options = { ...strict, exempt: new Set(['http://127.0.0.1:4100/notifications']) };
  expect(isPermitted('http://127.0.0.1:4100/notifications', options)).toBe(true);
  for (const url of [
    'http://127.0.0.1:4100/notifications/',
    'http://127.0.0.1:4100/notifications?a',
    'http://127.0.0.1:4100/',
    'http://127.0.0.1:4101/notifications',
    'http://localhost:4100/notifications',
    'http://user@127.0.0.1:4100/notifications',
  ])
    expect(isPermitted(url, options)).toBe(false);
});

test('the message names the input and states what is accepted', () => {
  const problem = 'its scheme is not https. Pass an https:// URL, or with WEBHOOK_ALLOW_PRIVATE an http:// URL';
  expect(() => checkReceiverUrl('http://hooks.example.com/', strict)).toThrow(
    new GraphError('BAD_USER_INPUT', `Invalid \`input.url\`: ${problem}.`),
  );
});

test.each([
  '8.8.8.8',
  '1.1.1.1',
  '100.63.255.255',
  '172.32.0.1',
  '192.0.1.1',
  '198.17.0.1',
  '223.255.255.255',
  '2606:4700::1111',
  '2a00:1450::1',
])('%s is a public address', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test.each([
  '',
  'localhost',
  'fe80::1%eth0',
  '2606:4700::1111%eth0',
  '1.2.3',
  '::ffff:8.8.8.8',
  '64:ff9b::808:808',
  '2002:808:808::1',
])('"%s" is no public address', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test('a name has the addresses of its one resolution, an address has itself, and a name without an address fails', async () => {
  const addresses = [
    { address: '8.8.8.8', family: 4 },
    { address: '2606:4700::1111', family: 6 },
  ];
  const resolve = async (name: string) => (name === 'hooks.example.com' ? addresses : []);
  expect(await resolveReceiver('hooks.example.com', false, resolve)).toEqual(addresses);
  expect(await resolveReceiver('[2606:4700::1111]', false, resolve)).toEqual([addresses[1]]);
  await expect(resolveReceiver('none.example.com', true, resolve)).rejects.toThrow('the name has no address');
  const found: unknown[] = [];
  for (const all of [true, false]) pinnedLookup(addresses)('', { all }, (...result) => found.push(result));
  expect(found).toEqual([
    [null, addresses],
    [null, '8.8.8.8', 4],
  ]);
});
