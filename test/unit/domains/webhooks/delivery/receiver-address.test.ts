import { createSocket, type Socket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { attemptDelivery } from '../../../../../src/domains/webhooks/delivery/attempt.ts';
import { queryName } from '../../../../../src/domains/webhooks/delivery/receiver-address.ts';
import { startReceiver } from '../../../../support/webhooks/receiver.ts';

const IPV4 = 1;
const NOT_FOUND = 3;
/** The names whose queries the name server has not answered. */
const unanswered: string[] = [];
let server: Socket;

/**
 * A name server: `both` has an address of each family, names of `only4` and `only6` have one, `missing` does not exist, and `silent` is not
 * answered.
 */
beforeAll(async () => {
  server = createSocket('udp4');
  server.on('message', (message, { port, address }) => {
    const question = message.subarray(12);
    const labels: string[] = [];
    let end = 0;
    for (; question[end]; end += question[end]! + 1) labels.push(question.toString('latin1', end + 1, end + 1 + question[end]!));
    const kind = labels.at(-1)!;
    if (kind === 'silent') return void unanswered.push(labels.join('.'));
    const isIpv4 = question.readUInt16BE(end + 1) === IPV4;
    const isFound = kind === 'both' || kind === (isIpv4 ? 'only4' : 'only6');
    const data = isIpv4 ? [127, 0, 0, 1] : [...Array(15).fill(0), 1];
    const answer = [0xc0, 12, 0, isIpv4 ? 1 : 28, 0, 1, 0, 0, 0, 0, 0, data.length, ...data];
    const head = Buffer.from(message.subarray(0, 12));
    for (const [offset, value] of [
      [2, kind === 'missing' ? 0x8180 | NOT_FOUND : 0x8180],
      [6, Number(isFound)],
      [8, 0],
      [10, 0],
    ] as const)
      head.writeUInt16BE(value, offset);
    server.send(Buffer.concat([head, question.subarray(0, end + 5), Buffer.from(isFound ? answer : [])]), port, address);
  });
  await once(server.bind(0, '127.0.0.1'), 'listening');
});

afterAll(() => void server.close());

function resolver(): Resolver {
  const own = new Resolver({ timeout: 500, tries: 1 });
  own.setServers([`127.0.0.1:${server.address().port}`]);
  return own;
}

test.each([
  ['shop.both', ['127.0.0.1', '::1']],
  ['shop.only4', ['127.0.0.1']],
  ['shop.only6', ['::1']],
])('name servers return the addresses of %s: %j', async (name, addresses) => {
  expect((await queryName(name, resolver())).map(({ address }) => address)).toEqual(addresses);
});

test.each([
  ['shop.missing', 'ENOTFOUND'],
  ['shop.none', 'ENODATA'],
  ['shop.silent', 'ETIMEOUT'],
])('the resolution of %s fails with %s', async (name, code) => {
  await expect(queryName(name, resolver())).rejects.toMatchObject({ code });
});

test('names that are not answered do not delay a delivery to another name', async () => {
  const receiver = await startReceiver();
  const { port } = new URL(receiver.url);
  const send = (host: string) =>
    attemptDelivery(
      { url: `http://${host}:${port}/`, headers: {}, body: '{}' },
      { allowsPrivate: true, exempt: new Set(), resolve: (name) => queryName(name, resolver()) },
    );
  let hasEnded = 0;
  // More names than the thread pool has threads.
  const silent = Array.from({ length: 8 }, (_none, i) => send(`shop${i}.silent`).finally(() => (hasEnded += 1)));
  expect(await send('shop.only4')).toMatchObject({ statusCode: 200 });
  expect(hasEnded).toBe(0);
  for (const result of await Promise.all(silent)) expect(result.error).toContain('DNS');
  expect(new Set(unanswered).size).toBeGreaterThanOrEqual(8);
});
