import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { closeServer, LOOPBACK_ADDRESS, listenOnAddress } from '../../../devnet/src/service-server.ts';
import { reservePort } from '../../support/reserved-port.ts';

const PROGRAM = fileURLToPath(new URL('../../../examples/federation/compose.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'grimoire-compose-'));
const out = join(folder, 'supergraph.graphql');
/** A server that serves no path. */
const server = createServer((_request, response) => response.writeHead(404).end('Not found'));
let address: string;
let unused: string;

beforeAll(async () => {
  address = await listenOnAddress(server, LOOPBACK_ADDRESS, 0);
  const { port, release } = await reservePort();
  await release();
  unused = `127.0.0.1:${port}`;
});

afterAll(async () => {
  await closeServer(server);
  rmSync(folder, { recursive: true });
});

test.each([
  ['does not run', () => unused, /^chain at http:\S+\/graphql: [^\n]*ECONNREFUSED[^\n]*\n$/],
  ['has another path', () => address, /^chain at http:\S+\/graphql: HTTP status 404[^\n]*\n$/],
])('the composition of a subgraph that %s fails with one line, and writes no file', async (_case, host, line) => {
  const failure = promisify(execFile)(process.execPath, [PROGRAM, `chain=http://${host()}/graphql`, '--out', out]);
  await expect(failure).rejects.toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(line) });
  expect(existsSync(out)).toBe(false);
});
