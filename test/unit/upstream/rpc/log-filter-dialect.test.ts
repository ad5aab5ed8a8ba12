import { expect, test } from '@jest/globals';
import { readLogs } from '../../../../src/ethereum/log-results.ts';
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
