import { expect, test } from '@jest/globals';
import { createClientAddressReader, peerAddressOf } from '../../../../src/server/clients/client-address.ts';

const PROXIES = ['10.0.0.0/8', '192.0.2.7', 'fd00::/8', '2001:db8:ffff::1'];

const addressOf = (remoteAddress: string | undefined, headers: Record<string, string> = {}, proxies = PROXIES) =>
  createClientAddressReader(proxies)({ remoteAddress }, headers);

const forwardedFor = (value: string) => ({ 'x-forwarded-for': value });

test.each<[name: string, remote: string | undefined, headers: Record<string, string>, address: string | undefined]>([
  ['a direct IPv4 client', '198.51.100.4', {}, '198.51.100.4'],
  ['an IPv4-mapped IPv6 client', '::ffff:198.51.100.4', {}, '198.51.100.4'],
  ['a direct IPv6 client', '2001:db8:1:2:3:4:5:6', {}, '2001:db8:1:2::/64'],
  ['an IPv6 client in another spelling', '2001:0DB8:0001:0002::9', {}, '2001:db8:1:2::/64'],
  ['an IPv6 client with zeros in its network', '2001:db8::1', {}, '2001:db8:0:0::/64'],
  ['an IPv6 client with zeros at the end', '2001:db8:1:2::', {}, '2001:db8:1:2::/64'],
  ['a link-local client with a zone', 'fe80::1%eth0', {}, 'fe80:0:0:0::/64'],
  ['IPv4 loopback', '127.0.0.1', {}, 'loopback'],
  ['another address of IPv4 loopback', '::ffff:127.0.0.2', {}, 'loopback'],
  ['IPv6 loopback', '::1', {}, 'loopback'],
  ['a socket that is closed', undefined, {}, undefined],
  ['a proxy itself, without a header', '10.0.0.1', {}, '10.0.0.1'],
  ['a client behind a proxy', '10.0.0.1', forwardedFor('198.51.100.4'), '198.51.100.4'],
  ['a client behind a mapped proxy address', '::ffff:10.0.0.1', forwardedFor('198.51.100.4'), '198.51.100.4'],
  ['a client behind a proxy of a single address', '192.0.2.7', forwardedFor('198.51.100.4'), '198.51.100.4'],
  ['a client behind an IPv6 proxy', 'fd12::5', forwardedFor('2001:db8:5::1'), '2001:db8:5:0::/64'],
  ['a client behind an IPv6 proxy in another spelling', '2001:db8:ffff:0::0001', forwardedFor('198.51.100.4'), '198.51.100.4'],
  ['a client behind a chain of proxies', '10.0.0.1', forwardedFor('198.51.100.4, fd00::2,10.9.9.9'), '198.51.100.4'],
  ['a client that sends an invented header', '10.0.0.1', forwardedFor('203.0.113.9, 198.51.100.4'), '198.51.100.4'],
  ['a client that invents an address of a proxy', '10.0.0.1', forwardedFor('10.0.0.5, 198.51.100.4'), '198.51.100.4'],
  ['a client that sends a malformed header', '10.0.0.1', forwardedFor('<script>,, 198.51.100.4'), '198.51.100.4'],
  ['a client whose address has a port', '10.0.0.1', forwardedFor('198.51.100.4:50123'), '198.51.100.4'],
  ['an IPv6 client with brackets and a port', '10.0.0.1', forwardedFor('[2001:db8:5::1]:50123'), '2001:db8:5:0::/64'],
  ['an IPv6 client with brackets', '10.0.0.1', forwardedFor('[2001:db8:5::1]'), '2001:db8:5:0::/64'],
  ['a mapped forwarded address', '10.0.0.1', forwardedFor('::ffff:198.51.100.4'), '198.51.100.4'],
  ['a client on the machine of a proxy', '10.0.0.1', forwardedFor('127.0.0.1'), 'loopback'],
  ['a chain of proxies alone', '10.0.0.1', forwardedFor('10.0.0.2, 10.0.0.3'), undefined],
  ['an address that the proxy hides', '10.0.0.1', forwardedFor('198.51.100.4, unknown'), undefined],
  ['an empty header', '10.0.0.1', forwardedFor(''), undefined],
  ['a trusted proxy that sends only `forwarded`', '10.0.0.1', { forwarded: 'for=198.51.100.4' }, undefined],
  ['a client that invents an IPv4-compatible address of a proxy', '10.0.0.1', forwardedFor('::10.0.0.5'), '0:0:0:0::/64'],
  ['an unlisted proxy', '198.51.100.9', forwardedFor('203.0.113.9'), undefined],
  ['an unlisted proxy that sends `forwarded`', '198.51.100.9', { forwarded: 'for=203.0.113.9' }, undefined],
  ['an unlisted proxy on this machine', '127.0.0.1', forwardedFor('203.0.113.9'), undefined],
  ['an unlisted proxy that invents a listed one', '198.51.100.9', forwardedFor('203.0.113.9, 10.0.0.1'), undefined],
])('client address of %s is read', (_name, remote, headers, address) => {
  expect(addressOf(remote, headers)).toBe(address);
});

test('proxy that is listed by its IPv4-mapped address is trusted', () => {
  expect(addressOf('10.1.2.3', forwardedFor('198.51.100.4'), ['::ffff:10.1.2.3'])).toBe('198.51.100.4');
});

test('proxy on this machine is trusted if loopback is listed', () => {
  const proxies = ['127.0.0.1', '::1'];
  expect(addressOf('::ffff:127.0.0.1', forwardedFor('198.51.100.4'), proxies)).toBe('198.51.100.4');
  expect(addressOf('::1', forwardedFor('198.51.100.4'), proxies)).toBe('198.51.100.4');
  expect(addressOf('127.0.0.1', {}, proxies)).toBe('loopback');
});

test.each([
  ['198.51.100.4', '198.51.100.4'],
  ['::ffff:198.51.100.4', '198.51.100.4'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['::ffff:127.0.0.1', 'loopback'],
  [undefined, 'unknown'],
])('the peer %s is counted as a client of that address', (remoteAddress, address) => {
  expect(peerAddressOf({ remoteAddress })).toBe(address);
});

test.each([
  ['10.1.2.3', '198.51.100.4'],
  ['11.1.2.3', undefined],
])('a range of IPv4-mapped addresses is a range of proxies: %s', (peer, address) => {
  expect(addressOf(peer, forwardedFor('198.51.100.4'), ['::ffff:10.0.0.0/104'])).toBe(address);
});
