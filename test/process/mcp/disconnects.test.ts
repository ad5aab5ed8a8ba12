import { createServer, request } from 'node:http';
import { expect, test } from '@jest/globals';
import { startMcp } from '../../../src/mcp/index.ts';
import { createTokenVerifier } from '../../../src/server/callers/json-web-tokens.ts';
import { stopAfterTests } from '../../support/cleanups.ts';
import { LIMITS } from '../../support/graph/toy-server.ts';
import { log } from '../../support/silent-log.ts';
import { startTestServer } from '../../support/test-server.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { createIssuerKey, createKeySetServer } from '../../unit/server/callers/key-set-server.ts';

const PROTOCOL = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': PROTOCOL,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

test('a client that leaves while the keys of its token are read starts no subscription', async () => {
  /** The aliases of the subscriptions that the graph has received. */
  const received: (string | undefined)[] = [];
  const graph = await startTestServer(
    createServer(async (message, response) => {
      const chunks = await message.toArray();
      received.push(/(\w+): newHeads/.exec(String(Buffer.concat(chunks)))?.[1]);
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n');
    }),
  );
  const issuer = await createIssuerKey('ES256', 'key-1');
  const keySet = await createKeySetServer([issuer.publicJwk]);
  await keySet.start();
  let respond: (() => void) | undefined;
  keySet.respond = (_request, response) => {
    const body = JSON.stringify({ keys: keySet.keys });
    respond = () => void response.setHeader('content-type', 'application/jwk-set+json').end(body);
  };
  const settings = {
    ...LIMITS,
    ...{ GRAPH_URL: `${graph.url}/graphql`, MCP_PORT: 0, MCP_MAX_RESULT_BYTES: 10_000, MCP_MUTATIONS: 'off' },
    ...{ HOST: '127.0.0.1', ALLOWED_HOSTS: [], CORS_ORIGINS: [], TRUSTED_PROXIES: [] },
  } as never;
  const verifyToken = createTokenVerifier({ JWT_JWKS_URL: keySet.url, JWT_APP_CLAIM: 'sub', RPC_TIMEOUT_MS: 60_000 }, log);
  const mcp = await startMcp({ settings, ownGraph: undefined, callers: { verifyToken }, log });
  stopAfterTests(() => mcp.stop());
  const headers = {
    ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    ...{ 'mcp-protocol-version': PROTOCOL, 'mcp-method': 'tools/call', 'mcp-name': 'collect_events' },
    authorization: `Bearer ${await issuer.sign()}`,
  };
  const collect = (alias: string) => {
    const call = request(/http:\S+\/mcp/.exec(mcp.readyMessage)![0], { method: 'POST', headers, agent: false });
    call.on('error', () => {});
    const args = { query: `subscription { ${alias}: newHeads { number } }`, timeoutSeconds: 300 };
    const params = { name: 'collect_events', arguments: args, _meta: META };
    call.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
    return call;
  };
  const left = collect('left');
  await waitUntil(() => respond !== undefined, 'the keys are requested');
  left.destroy();
  await new Promise((resolve) => left.once('close', resolve));
  // The server runs in this process, and has the end of the connection after a few turns.
  for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate);
  respond!();
  const waiting = collect('waiting');
  await waitUntil(() => received.length > 0, 'the graph has a subscription');
  waiting.destroy();
  expect(received).toEqual(['waiting']);
});
