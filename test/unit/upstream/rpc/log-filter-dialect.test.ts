import { expect, test } from '@jest/globals';
import { readLogs } from '../../../../src/ethereum/log-results.ts';
import { GraphError } from '../../../../src/lib/errors.ts';
import { HeaderChecks } from '../../../../src/upstream/rpc/header-check-policy.ts';
import {
  LogFilterDialect,
  sendWithLogFilterDialect,
  UNKNOWN_BLOCK_HASH,
} from '../../../../src/upstream/rpc/log-filter-dialect.ts';
import { type ResultReader, type RpcCall, type RpcOutcome, readResult } from '../../../../src/upstream/rpc/rpc-call.ts';
import { errorFromRpcError } from '../../../../src/upstream/rpc/rpc-errors.ts';
import { hashOf, logFixture } from '../../../support/upstream/rpc-fixtures.ts';

const LOGS = { read: readLogs } as ResultReader;

const logsOf = (blockHash: string): RpcCall => {
  const filter = { blockHash };
  return { method: 'eth_getLogs', params: [filter], reader: LOGS, args: [filter] };
};

const failure = (code: number, message: string): RpcOutcome => {
  const rpcError = { code, message };
  return { error: errorFromRpcError('eth_getLogs', rpcError), rpcError };
};

/** Returns the `send` of an endpoint that responds to a field name with `reply`; its first response waits for `until`. */
function endpoint(reply: (name: string) => RpcOutcome | undefined, until: Promise<unknown>) {
  let sends = 0;
  return async (calls: readonly RpcCall[]): Promise<RpcOutcome[]> => {
    sends += 1;
    if (sends === 1) await until;
    return calls.map((call) => {
      const [name, hash] = Object.entries(call.params[0] as Record<string, string>)[0]!;
      const own = reply(name);
      if (own) return own;
      if (hash === UNKNOWN_BLOCK_HASH) return failure(-32000, 'unknown block');
      return readResult(call, [logFixture({ blockHash: hash })], new HeaderChecks('on'));
    });
  };
}

test.each<[string, RpcOutcome]>([
  ['rejects', failure(-32602, 'invalid params')],
  ['ignores', { result: [] }],
])(
  'a log filter uses the field name that a concurrent operation has learnt from a node that %s `blockHash`',
  async (_case, reply) => {
    const dialect = new LogFilterDialect();
    let releaseFirst: () => void;
    const until = new Promise<void>((resolve) => {
      releaseFirst = resolve;
    });
    const send = endpoint((name) => (name === 'blockHash' ? reply : undefined), until);
    const confirmed = { ...logsOf(hashOf(0xb1)), reader: { ...LOGS, confirmsEmpty: true } };
    const late = sendWithLogFilterDialect(send, [confirmed], dialect);
    const early = sendWithLogFilterDialect(
      send,
      [{ ...logsOf(hashOf(0xb2)), reader: { ...LOGS, confirmsEmpty: true } }],
      dialect,
    );
    expect(await early).toMatchObject([{ result: [{ blockHash: hashOf(0xb2) }] }]);
    expect(dialect).toMatchObject({ blockHashField: 'blockhash', isProven: true });
    releaseFirst!();
    expect(await late).toMatchObject([{ result: [{ blockHash: hashOf(0xb1) }] }]);
    expect(dialect).toMatchObject({ blockHashField: 'blockhash', isProven: true });
  },
);

test('an empty list, or a refusal, that the endpoint fails to confirm is the error of the endpoint', async () => {
  const unavailable: RpcOutcome = { error: new GraphError('UPSTREAM_UNAVAILABLE', 'The node does not respond.') };
  for (const first of [{ result: [] }, failure(-32602, 'invalid params')] satisfies RpcOutcome[]) {
    const dialect = new LogFilterDialect();
    let sends = 0;
    const send = async (calls: readonly RpcCall[]) => calls.map(() => (sends === 1 ? first : unavailable));
    const counted = (calls: readonly RpcCall[]) => {
      sends += 1;
      return send(calls);
    };
    const call = { ...logsOf(hashOf(0xb1)), reader: { ...LOGS, confirmsEmpty: true } };
    expect(await sendWithLogFilterDialect(counted, [call], dialect)).toEqual([unavailable]);
    // The next empty list is confirmed at once.
    expect(dialect).toMatchObject({ blockHashField: 'blockHash', isProven: false, nextProbeAt: 0 });
  }
});

test('an empty list that an endpoint returns for unknown blocks is accepted if it answers the other name with an internal error', async () => {
  const dialect = new LogFilterDialect();
  const send = async (calls: readonly RpcCall[]) =>
    calls.map((call) =>
      Object.hasOwn(call.params[0] as object, 'blockHash') ? { result: [] } : failure(-32603, 'internal error'),
    );
  const call = { ...logsOf(hashOf(0xb1)), reader: { ...LOGS, confirmsEmpty: true } };
  expect(await sendWithLogFilterDialect(send, [call], dialect)).toEqual([{ result: [] }]);
  expect(dialect.nextProbeAt).toBeGreaterThan(performance.now());
});

test('an empty list under a name that another list of the batch disproves is the error of its confirmation', async () => {
  const limited = failure(-32005, 'limit exceeded');
  const send = async (calls: readonly RpcCall[]) =>
    calls.map((call) => {
      const { blockhash } = call.params[0] as Record<string, string>;
      if (blockhash === hashOf(0xb2)) return limited;
      return blockhash === hashOf(0xb1)
        ? readResult(call, [logFixture({ blockHash: blockhash })], new HeaderChecks('on'))
        : { result: [] };
    });
  const calls = [0xb1, 0xb2].map((n) => ({ ...logsOf(hashOf(n)), reader: { ...LOGS, confirmsEmpty: true } }));
  const outcomes = await sendWithLogFilterDialect(send, calls, new LogFilterDialect());
  expect(outcomes).toMatchObject([{ result: [{ blockHash: hashOf(0xb1) }] }, limited]);
});

test('an endpoint that fails for a moment does not change the name, and a refusal changes a proven one', async () => {
  const dialect = new LogFilterDialect();
  const failing = async (calls: readonly RpcCall[]) =>
    calls.map((call) =>
      Object.hasOwn(call.params[0] as object, 'blockHash') ? failure(-32603, 'internal error') : { result: [] },
    );
  await sendWithLogFilterDialect(failing, [logsOf(hashOf(0xb1))], dialect);
  expect(dialect.blockHashField).toBe('blockHash');
  dialect.isProven = true;
  const refusing = endpoint((name) => (name === 'blockHash' ? failure(-32602, 'unknown field') : undefined), Promise.resolve());
  const outcomes = await sendWithLogFilterDialect(refusing, [logsOf(hashOf(0xb2))], dialect);
  expect(outcomes).toMatchObject([{ result: [{ blockHash: hashOf(0xb2) }] }]);
  expect(dialect).toMatchObject({ blockHashField: 'blockhash', isProven: true });
});
