import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { stopAfterTests } from '../../support/cleanups.ts';
import { postJson } from '../../support/clients/post-json.ts';
import { type DevnetSetup, startSharedDevnetSetup } from '../../support/graph/devnet-setup.ts';
import { type Agent, agentOf, CURRENT_REVISION, createClient, startStdioAgent } from '../../support/mcp/agent.ts';
import { assertNoSecret } from '../../support/secrets.ts';
import { startTestServer } from '../../support/test-server.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** The tools over HTTP: the clients that may call them, and the identity with which they call the graph. */
const MAIN = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));
const [KEY, OTHER_KEY] = ['agent-key-0123456789abcdef', 'other-key-0123456789abcdef'];

interface McpProcess {
  readonly url: string;
  output(): string;
  stop(): Promise<number | null>;
}

let setup: DevnetSetup;

beforeAll(async () => {
  setup = await startSharedDevnetSetup({ API_KEYS: `agent=${KEY}` });
});

async function startMcp(settings: Record<string, string>): Promise<McpProcess> {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [MAIN, 'mcp'], {
    env: { PATH, HOME, MCP_PORT: '0', LOG_LEVEL: 'info', DEVNET_CHAINS: '1', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  stopAfterTests(async () => void child.kill('SIGKILL'));
  let [output, stdout] = ['', ''];
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  const closed = once(child, 'close');
  const isReady = () => /mcp +(http:\S+)/.test(output) || child.exitCode !== null;
  await waitUntil(isReady, 'the server is ready');
  return {
    url: /mcp +(http:\S+)/.exec(output)?.[1] ?? output,
    output: () => output,
    async stop() {
      child.kill('SIGINT');
      await closed;
      assertNoSecret(output, 'the output of the server');
      for (const key of [KEY, OTHER_KEY]) expect(output).not.toContain(key);
      expect(stdout).toBe('');
      return child.exitCode;
    },
  };
}

async function connect(
  url: string,
  headers: Record<string, string>,
  mode: Parameters<typeof createClient>[0] = CURRENT_REVISION,
) {
  const client = createClient(mode);
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return agentOf(client);
}

const post = (url: string, headers: Record<string, string> = {}) =>
  postJson(
    url,
    { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
    { accept: 'application/json, text/event-stream', ...headers },
  );

const codeOf = async (response: Response): Promise<unknown> =>
  ((await response.json()) as { errors: { extensions: { code: string } }[] }).errors[0]!.extensions.code;

/** A field that needs a caller, so that it shows the identity that the graph sees. */
const CALLER_QUERY = '{ webhookEvents(first: 1) { nodes { id } } }';
const errorCodeOf = async (agent: Agent, query: string): Promise<string | undefined> =>
  (await agent.call('execute_operation', { query })).value.errors?.[0].extensions.code;

describe('a server of tools with API keys', () => {
  let mcp: McpProcess;

  beforeAll(async () => {
    mcp = await startMcp({
      GRAPH_URL: `${setup.graph.url}/graphql`,
      GRAPH_API_KEY: KEY,
      API_KEYS: `other=${OTHER_KEY}`,
      CORS_ORIGINS: 'https://agents.example',
    });
  });

  afterAll(async () => expect(await mcp.stop()).toBe(0));

  test.each(['legacy', CURRENT_REVISION] as const)('an agent with a key calls the tools, protocol %j', async (mode) => {
    const agent = await connect(mcp.url, { 'x-api-key': OTHER_KEY }, mode);
    expect((await agent.client.listTools()).tools).toHaveLength(5);
    const { value } = await agent.call('execute_operation', { query: '{ block { number } }' });
    expect(value.data.block.number).toBe(`0x${setup.devnet.description.landmarks.lastBlock.toString(16)}`);
    const { value: collected } = await agent.call('collect_events', {
      query: 'subscription { newHeads { number } }',
      timeoutSeconds: 1,
    });
    expect(collected).toEqual({ events: [], ended: 'TIMEOUT' });
    const unknown = await agent.client.callTool({ name: 'search_schema', arguments: { query: 'block', first: 1 } });
    expect(unknown).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('Unknown argument first. Accepted: query, limit.') }],
    });
    const asText = await agent.call('execute_operation', { query: '{ chainID }', variables: '{}' });
    expect(asText.value.errors).toMatchObject([
      {
        message: 'variables: Pass an object with the value of each variable, not its text.',
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ]);
    await expect(agent.call('query', {})).rejects.toThrow('The tools are search_schema, explain_type, validate_operation,');
    const { resources } = await agent.client.listResources();
    expect(resources).toContainEqual(
      expect.objectContaining({ uri: 'grimoire://docs/start/agent.md', description: 'the tools of the Model Context Protocol' }),
    );
    const example = resources.find(({ uri }) => uri === 'grimoire://examples/01-head.graphql')!;
    expect(example.title).toMatch(/^Start: the newest block/);
    const { contents } = await agent.client.readResource({ uri: example.uri });
    expect(contents).toEqual([
      { uri: example.uri, mimeType: 'application/graphql', text: expect.stringContaining('query Head {') },
    ]);
    await expect(agent.client.readResource({ uri: 'grimoire://docs/../package.json' })).rejects.toThrow('No such resource');
    await expect(agent.client.readResource({ uri: 'grimoire://docs/recipes/portfolios.md' })).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining('Did you mean grimoire://docs/recipes/portfolio.md'),
    });
    await agent.client.close();
  });

  test.each([
    ['without a key', {}],
    ['with the key of another server', { 'x-api-key': KEY }],
    ['with two different keys', { 'x-api-key': OTHER_KEY, authorization: `Bearer ${KEY}` }],
  ])('a request %s fails with UNAUTHENTICATED', async (_case, headers) => {
    const response = await post(mcp.url, headers as Record<string, string>);
    expect([response.status, await codeOf(response)]).toEqual([401, 'UNAUTHENTICATED']);
    for (const path of ['/tools', '/graphql'])
      expect(await (await fetch(new URL(path, mcp.url))).text()).toContain('The tools are at /mcp.');
  });

  test('/healthz and /readyz need no key, and /readyz requests the graph', async () => {
    expect(await (await fetch(new URL('/healthz', mcp.url))).json()).toEqual({ status: 'ok' });
    expect(await (await fetch(new URL('/readyz', mcp.url))).json()).toEqual({ status: 'ready' });
  });

  test('a web page of another origin is rejected, even with a key, and one of CORS_ORIGINS is accepted', async () => {
    const evil = await post(mcp.url, { 'x-api-key': OTHER_KEY, origin: 'https://evil.example' });
    expect([evil.status, await codeOf(evil)]).toEqual([403, 'BAD_REQUEST']);
    expect(evil.headers.get('access-control-allow-origin')).toBeNull();
    const good = await post(mcp.url, { 'x-api-key': OTHER_KEY, origin: 'https://agents.example' });
    expect(good.status).toBe(200);
    expect(good.headers.get('access-control-allow-origin')).toBe('https://agents.example');
  });

  test('mutations are refused, also under an operation name and behind a query', async () => {
    const agent = await connect(mcp.url, { authorization: `Bearer ${OTHER_KEY}` });
    const mutation = 'mutation M { sendRawTransaction(data: "0x00") }';
    for (const args of [
      { query: mutation },
      { query: `query Q { chainID } ${mutation}`, operationName: 'M' },
      { query: `query Q { chainID } ${mutation}` },
    ]) {
      const { isError, value } = await agent.call('execute_operation', args);
      expect(isError).toBe(true);
      expect(value.errors[0].extensions.code).toMatch(/^BAD_USER_INPUT$|^OPERATION_RESOLUTION_FAILURE$/);
    }
    const { isError } = await agent.call('collect_events', { query: mutation });
    expect(isError).toBe(true);
    await agent.client.close();
  });

  test('the graph of GRAPH_URL receives GRAPH_API_KEY, not the key of the agent', async () => {
    const agent = await connect(mcp.url, { 'x-api-key': OTHER_KEY });
    // The graph would reject the key of the agent.
    expect(await errorCodeOf(agent, '{ chainID }')).toBeUndefined();
    await agent.client.close();
  });
});

describe('callers of the tools of one graph', () => {
  let mcp: McpProcess;

  beforeAll(async () => {
    const { http, ws } = setup.devnet.description.nodeService;
    mcp = await startMcp({
      RPC_URL: http,
      RPC_WS_URL: ws,
      API_KEYS: `agent=${KEY},other=${OTHER_KEY}`,
      REQUIRE_CALLER: 'on',
      // Two subscriptions of the smallest cost.
      MAX_CLIENT_SUBSCRIPTION_COST: '8',
      RATE_LIMIT_REQUESTS: '60',
      TRUSTED_PROXIES: '127.0.0.1',
    });
  });

  afterAll(async () => expect(await mcp.stop()).toBe(0));

  const collect = async (agent: Agent, alias: string, timeoutSeconds: number) =>
    (await agent.call('collect_events', { query: `subscription { newHeads { ${alias}: number } }`, count: 100, timeoutSeconds }))
      .value;

  const subscriptionsAre = async (count: number) => {
    const graph = /graph +(http:\S+)\/graphql/.exec(mcp.output())![1]!;
    await waitUntil(
      async () => (await (await fetch(`${graph}/metrics`)).text()).includes(`\ngrimoire_subscriptions ${count}\n`),
      `the graph has ${count} subscriptions`,
    );
  };

  test.each([CURRENT_REVISION, 'legacy'] as const)(
    'an application at its limit of subscriptions shuts out neither others nor itself at another address, protocol %j',
    async (mode) => {
      const busy = await connect(mcp.url, { 'x-api-key': KEY, 'x-forwarded-for': '192.0.2.1' }, mode);
      const running = ['a', 'b'].map((alias) => collect(busy, alias, 10).catch(() => {}));
      await subscriptionsAre(2);
      const { ended, errors } = await collect(busy, 'c', 1);
      expect([ended, errors[0].extensions]).toMatchObject([
        'ERROR',
        { code: 'TOO_MANY_SUBSCRIPTIONS', setting: 'MAX_CLIENT_SUBSCRIPTION_COST' },
      ]);
      const other = await connect(mcp.url, { 'x-api-key': OTHER_KEY, 'x-forwarded-for': '192.0.2.1' }, mode);
      expect((await collect(other, 'd', 1)).ended).toBe('TIMEOUT');
      const elsewhere = await connect(mcp.url, { 'x-api-key': KEY, 'x-forwarded-for': '192.0.2.2' }, mode);
      expect((await collect(elsewhere, 'e', 1)).ended).toBe('TIMEOUT');
      for (const agent of [busy, other, elsewhere]) await agent.client.close();
      await Promise.all(running);
      await subscriptionsAre(0);
    },
  );

  test('tools that send no operation count in the rate limit of their application', async () => {
    const agent = await connect(mcp.url, { 'x-api-key': KEY });
    const validate = async (by: Agent) =>
      (await by.call('validate_operation', { query: '{ chainID }' })).value.errors?.[0].extensions;
    // The limit is refilled while the calls are made.
    let refusal: unknown;
    for (let calls = 0; refusal === undefined && calls < 1_000; calls++) refusal = await validate(agent);
    expect(refusal).toMatchObject({ code: 'RATE_LIMITED', setting: 'RATE_LIMIT_REQUESTS', retryAfterMs: expect.any(Number) });
    const other = await connect(mcp.url, { 'x-api-key': OTHER_KEY });
    expect(await validate(other)).toBeUndefined();
    for (const one of [agent, other]) await one.client.close();
  });
});

describe('a server of tools without API keys', () => {
  let mcp: McpProcess;

  beforeAll(async () => {
    mcp = await startMcp({ DEVNET_LIFE: 'off', MCP_MAX_RESULT_BYTES: '2000' });
  });

  afterAll(async () => expect(await mcp.stop()).toBe(0));

  test('clients on this machine may call the tools, and are callers of the graph that it has started', async () => {
    const agent = await connect(mcp.url, {});
    expect(await (await fetch(new URL('/readyz', mcp.url))).json()).toMatchObject({ status: 'ready', block: expect.any(String) });
    // A database that has just started responds late on a busy machine.
    const hasResponded = async () => (await errorCodeOf(agent, CALLER_QUERY)) !== 'STORE_UNAVAILABLE';
    await waitUntil(hasResponded, 'the database responds');
    expect(await errorCodeOf(agent, CALLER_QUERY)).toBeUndefined();
    await agent.client.close();
  });

  test('a result above MCP_MAX_RESULT_BYTES fails with RESULT_TOO_LARGE', async () => {
    const agent = await connect(mcp.url, {});
    const { isError, value } = await agent.call('execute_operation', { query: '{ blocks(from: 0, to: 30) { hash logsBloom } }' });
    expect(isError).toBe(true);
    expect(value.errors[0].extensions).toMatchObject({
      code: 'RESULT_TOO_LARGE',
      limit: 2000,
      setting: 'MCP_MAX_RESULT_BYTES',
    });
    await agent.client.close();
  });
});

describe('tools without a graph', () => {
  test('an unavailable graph fails with UPSTREAM_UNAVAILABLE, without its URL', async () => {
    const agent = await startStdioAgent({ GRAPH_URL: 'http://127.0.0.1:9/key-in-path-0123456789/graphql' });
    for (const [tool, args] of [
      ['search_schema', { query: 'block' }],
      ['execute_operation', { query: '{ chainID }' }],
      ['collect_events', { query: 'subscription { newHeads { number } }' }],
    ] as const) {
      const { isError, value } = await agent.call(tool, args);
      expect(isError).toBe(true);
      expect(value.errors[0].extensions).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', source: 'graph' });
      expect(JSON.stringify(value)).not.toContain('key-in-path');
    }
    await agent.close();
    expect(agent.errorOutput()).not.toContain('key-in-path');
  });

  test('a server without a graph fails with UPSTREAM_BAD_RESPONSE, and a key that it echoes is masked', async () => {
    const echo = createServer(({ headers }, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(headers['x-echo'] ? {} : { data: { key: headers['x-api-key'] } }));
    });
    const { url } = await startTestServer(echo);
    const agent = await startStdioAgent({ GRAPH_URL: url, GRAPH_API_KEY: KEY }, 'legacy');
    expect((await agent.call('search_schema', { query: 'block' })).value.errors[0].extensions.code).toBe('UPSTREAM_BAD_RESPONSE');
    expect((await agent.call('execute_operation', { query: '{ key }' })).value).toEqual({ data: { key: '[secret]' } });
    await agent.close();
  });
});
