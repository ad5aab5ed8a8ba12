import { once } from 'node:events';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { GraphError } from '../../../../src/lib/errors.ts';
import { createHttpRpcTransport, type HttpRpcTransport } from '../../../../src/upstream/rpc/http/transport.ts';
import type { RpcCall } from '../../../../src/upstream/rpc/rpc-call.ts';
import { untilTestsEnd } from '../../../support/cleanups.ts';
import { echoParams, type Script, type ScriptedNode, startScriptedNode } from '../../../support/upstream/scripted-node.ts';

let node: ScriptedNode;
let rpc: HttpRpcTransport;

async function open(script: Script, { batch: maxBatchSize = 100, path = '/', userinfo = '' } = {}): Promise<void> {
  node = await startScriptedNode(script);
  rpc = untilTestsEnd(createHttpRpcTransport({ url: `http://${userinfo}127.0.0.1:${node.port}${path}`, maxBatchSize }));
}

const neverAborted = new AbortController().signal;
const call = (name: string): RpcCall => ({ method: 'eth_call', params: [name] });
const timeout = () => new GraphError('TIMEOUT', 'The operation took too long.');

/** A script that never responds, and the socket of its first request. */
function neverRespond(start: (response: Parameters<Script>[1]) => void = () => {}): { script: Script; waiting: Promise<Socket> } {
  let reached: (socket: Socket) => void;
  const waiting = new Promise<Socket>((resolve) => {
    reached = resolve;
  });
  const script: Script = ({ socket }, response) => {
    start(response);
    reached(socket);
  };
  return { script, waiting };
}

describe('abort', () => {
  test.each<[string, readonly RpcCall[]]>([
    ['a call', [call('a')]],
    ['a batch', [call('a'), call('b')]],
  ])('an abort closes the connection of %s, and the outcome is the reason of the signal', async (_case, calls) => {
    const { script, waiting } = neverRespond();
    await open(script);
    const abort = new AbortController();
    const sent = rpc.send(calls, abort.signal);
    const closed = once(await waiting, 'close');
    const reason = timeout();
    abort.abort(reason);
    expect((await sent).map((outcome) => 'error' in outcome && outcome.error)).toEqual(calls.map(() => reason));
    await closed;
    expect(node.posts()).toHaveLength(1);
  });

  test('an abort ends the decompression of a response that has arrived completely', async () => {
    const abort = new AbortController();
    const reason = timeout();
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, result: 'x'.repeat(30_000_000) });
    await open((_request, response) => {
      response.once('finish', async () => {
        for (let turns = 20; turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve));
        abort.abort(reason);
      });
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(text));
    });
    expect(await rpc.send([call('a')], abort.signal)).toEqual([{ error: reason }]);
  });

  test('an aborted signal prevents the call', async () => {
    await open(echoParams);
    const reason = timeout();
    const unsent = { error: reason, unsent: true };
    expect(await rpc.send([call('a'), call('b')], AbortSignal.abort(reason))).toEqual([unsent, unsent]);
    expect(node.posts()).toEqual([]);
  });

  test('an abort does not affect the calls of another operation', async () => {
    await open(async (request, response) => {
      if (request.calls[0]!.params[0] === 'slow') return undefined;
      await new Promise((resolve) => setTimeout(resolve, 30));
      return echoParams(request, response);
    });
    const abort = new AbortController();
    const slow = rpc.send([call('slow')], abort.signal);
    const other = rpc.send([call('other')], neverAborted);
    setTimeout(() => abort.abort(timeout()), 10);
    expect(await slow).toMatchObject([{ error: { code: 'TIMEOUT' } }]);
    expect(await other).toEqual([{ result: ['other'] }]);
  });

  test('an abort with a foreign reason fails with UPSTREAM_UNAVAILABLE without its text', async () => {
    const { script, waiting } = neverRespond();
    await open(script);
    const abort = new AbortController();
    const sent = rpc.send([call('a')], abort.signal);
    await waiting;
    abort.abort(new Error('a text with a key in it'));
    const [outcome] = await sent;
    expect(outcome).toMatchObject({ error: { code: 'UPSTREAM_UNAVAILABLE', message: expect.not.stringContaining('key') } });
  });
});

describe('connections', () => {
  test('a hundred concurrent calls use at most sixteen connections', async () => {
    await open(echoParams, { batch: 1 });
    const calls = Array.from({ length: 100 }, (_, i) => call(String(i)));
    expect(await rpc.send(calls, neverAborted)).toEqual(calls.map(({ params }) => ({ result: params })));
    await rpc.send(calls, neverAborted);
    expect(node.posts()).toHaveLength(200);
    expect(node.sockets.size).toBeLessThanOrEqual(16);
  });

  test('a transport opens no connection before the first call', async () => {
    await open(echoParams);
    expect(node.sockets.size).toBe(0);
  });

  test('closing the transport closes its connections, and later calls fail with a GraphError', async () => {
    await open(echoParams);
    const transport = createHttpRpcTransport({ url: node.url, maxBatchSize: 1 });
    await transport.send([call('a')], neverAborted);
    const [socket] = node.sockets;
    const closed = socket!.closed || once(socket!, 'close');
    await transport.close();
    await closed;
    expect(await transport.send([call('b')], neverAborted)).toMatchObject([{ error: { name: 'GraphError' } }]);
  });
});

describe('a request', () => {
  test.each([
    ['user and password', 'alice:open%2Fsesame@', `Basic ${Buffer.from('alice:open/sesame').toString('base64')}`],
    ['a user without a password', 'alice@', `Basic ${Buffer.from('alice:').toString('base64')}`],
    ['neither', '', undefined],
  ])('a request has Basic authentication for a URL with %s', async (_case, userinfo, authorization) => {
    await open(echoParams, { userinfo });
    await rpc.send([call('a')], neverAborted);
    expect(node.requests[0]!.headers.authorization).toBe(authorization);
  });

  test('a request has the path and query of the URL unchanged', async () => {
    await open(echoParams, { path: '/v2/key%2F1?apikey=a%20b&x=1' });
    await rpc.send([call('a')], neverAborted);
    expect(node.requests[0]!.path).toBe('/v2/key%2F1?apikey=a%20b&x=1');
  });
});
