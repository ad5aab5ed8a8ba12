import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type DevnetSetup, startDevnetSetup } from '../../support/graph/devnet-setup.ts';

/** Connections that send nothing, or too slowly. */
let setup: DevnetSetup;

beforeAll(async () => {
  setup = await startDevnetSetup();
});

afterAll(() => setup?.stop());

const COUNT = 400;
const CLOSED_WITHIN_MS = 10_000;
const SERVED_WITHIN_MS = 4_000;

/** Opens connections, calls `behave` with each, and returns how long each one stayed open. */
async function hold(count: number, behave: (socket: Socket) => void): Promise<number[]> {
  const { hostname, port } = new URL(setup.graph.url);
  const one = () =>
    new Promise<number>((resolve) => {
      const socket = connect(Number(port), hostname);
      let opened = performance.now();
      // A socket without a reader never emits `end`.
      socket.on('data', () => {}).on('error', () => {});
      socket.once('connect', () => {
        opened = performance.now();
        behave(socket);
      });
      socket.once('close', () => resolve(performance.now() - opened));
    });
  return Promise.all(Array.from({ length: count }, one));
}

/** Writes a text one character per second, until the socket is closed. */
function drip(socket: Socket, text: string): void {
  let at = 0;
  const timer = setInterval(() => socket.writable && socket.write(text[at++ % text.length]!), 1_000);
  socket.once('close', () => clearInterval(timer));
}

const HEADERS = 'POST /graphql HTTP/1.1\r\nHost: graph\r\nContent-Type: application/json\r\nContent-Length: 200\r\n';

test('slow headers, slow bodies and silent connections are closed within ten seconds, while other requests are served', async () => {
  let over = false;
  const attack = Promise.all([
    hold(COUNT, () => {}),
    hold(COUNT, (socket) => drip(socket, HEADERS)),
    hold(COUNT, (socket) => {
      socket.write(HEADERS);
      drip(socket, 'X-Slow: yes\r\n');
    }),
    hold(COUNT, (socket) => {
      socket.write(`${HEADERS}\r\n`);
      drip(socket, '{"query":"{ chainID }"}');
    }),
  ]).finally(() => {
    over = true;
  });
  const waits: number[] = [];
  while (!over) {
    const requested = performance.now();
    const { data } = await setup.graph.execute('{ chainID }');
    expect(data).toEqual({ chainID: '0x7a69' });
    waits.push(performance.now() - requested);
  }
  for (const stayed of await attack) {
    expect(stayed).toHaveLength(COUNT);
    expect(Math.max(...stayed)).toBeLessThan(CLOSED_WITHIN_MS);
  }
  // The number depends on the machine; none waits until the first slow socket is closed.
  expect(Math.max(...waits)).toBeLessThan(SERVED_WITHIN_MS);
});

test('a request that arrives in parts within the limits is executed', async () => {
  const { hostname, port } = new URL(setup.graph.url);
  const body = '{"query":"{ chainID }"}';
  const answer = await new Promise<string>((resolve) => {
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.once('close', () => resolve(text));
    const head = `POST /graphql HTTP/1.1\r\nHost: graph\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    socket.write(head);
    setTimeout(() => socket.write(`\r\n${body.slice(0, 9)}`), 1_000);
    setTimeout(() => socket.write(body.slice(9)), 2_000);
  });
  expect(answer).toContain('{"data":{"chainID":"0x7a69"}}');
});
