import { beforeEach, describe, expect, test } from '@jest/globals';
import type { RpcLog } from '../../../../src/ethereum/rpc-types.ts';
import { GraphError } from '../../../../src/lib/errors.ts';
import type { Head } from '../../../../src/sync/chain/rpc-header.ts';
import { createOrderedLogs, type LogChange, type OrderedLogs } from '../../../../src/sync/logs/ordered-logs.ts';
import { SimChain } from '../../../support/simulator/chain.ts';
import { headOf } from '../../../support/simulator/fork-choice-driver.ts';

const gapError = new GraphError('GAP_TOO_LARGE', 'gap');
const turn = () => new Promise((resolve) => setImmediate(resolve));

let chain: SimChain;
let emitted: LogChange[];
let failed: GraphError[];
/** The reads in flight by block hash. */
let reading: Map<string, { resolve(): void; reject(error: GraphError): void; readonly signal: AbortSignal }>;
let orderedLogs: OrderedLogs;

const logsOf = (head: Head, signal: AbortSignal) =>
  new Promise<readonly RpcLog[]>((resolve, reject) => {
    reading.set(head.hash, { resolve: () => resolve(chain.block(head.hash)!.logs as readonly RpcLog[]), reject, signal });
  });

beforeEach(() => {
  chain = new SimChain({ seed: 1, blocks: 10 });
  emitted = [];
  failed = [];
  reading = new Map();
  orderedLogs = createOrderedLogs({
    head: headOf(chain.head),
    logsOf,
    emit: (change) => void emitted.push(change),
    fail: (error) => void failed.push(error),
  });
});

const move = (depth: number, length: number) => {
  const { removed, added } = chain.reorg(depth, length);
  orderedLogs.enqueue({ removed: removed.map(headOf), added: added.map(headOf) }, headOf(chain.head));
  return { removed, added };
};

const read = async (...hashes: readonly string[]) => {
  for (const hash of hashes) reading.get(hash)!.resolve();
  await turn();
  await turn();
};

const shape = () =>
  emitted.map(({ removed, added }) => [removed.map(({ head }) => head.height), added.map(({ head }) => head.height)]);

describe('order of log changes', () => {
  test('ordered logs emits a change once all removed and the first added blocks are read', async () => {
    const { removed, added } = move(2, 4);
    await read(...added.slice(1, 3).map(({ hash }) => hash));
    await read(removed[1]!.hash);
    await read(added[0]!.hash);
    expect(emitted).toEqual([]);
    await read(removed[0]!.hash);
    expect(shape()).toEqual([
      [
        [10, 9],
        [9, 10, 11],
      ],
    ]);
    expect(orderedLogs.head?.height).toBe(11);
    await read(added[3]!.hash);
    expect(shape()[1]).toEqual([[], [12]]);
    expect(orderedLogs.head?.height).toBe(12);
  });

  test('ordered logs does not emit removed blocks before the first block that replaces them is read', async () => {
    const { removed } = move(1, 1);
    await read(removed[0]!.hash);
    expect(emitted).toEqual([]);
    expect(orderedLogs.head?.hash).toBe(removed[0]!.hash);
  });

  test('ordered logs emits removed blocks alone when nothing replaces them', async () => {
    const { removed } = move(2, 0);
    await read(...removed.map(({ hash }) => hash));
    expect(shape()).toEqual([[[10, 9], []]]);
    expect(orderedLogs.head?.hash).toBe(chain.head.hash);
  });

  test('ordered logs aborts the read of a block that is reverted before it was emitted', async () => {
    const { added } = move(0, 2);
    await read(added[0]!.hash);
    const next = move(1, 1);
    expect(reading.get(added[1]!.hash)!.signal.aborted).toBe(true);
    await read(next.added[0]!.hash);
    expect(shape()).toEqual([
      [[], [11]],
      [[], [12]],
    ]);
  });

  test('ordered logs reads at most 32 blocks ahead', async () => {
    const { added } = move(0, 50);
    expect(reading.size).toBe(32);
    await read(...added.slice(0, 32).map(({ hash }) => hash));
    expect(reading.size).toBe(50);
    expect(orderedLogs.head?.hash).toBe(added[31]!.hash);
  });
});

describe('failing reads', () => {
  test('ordered logs fails when the logs of a removed block cannot be read', async () => {
    const { removed } = move(1, 2);
    reading.get(removed[0]!.hash)!.reject(gapError);
    await turn();
    expect(failed).toEqual([gapError]);
    expect([...reading.values()].every(({ signal }) => signal.aborted)).toBe(true);
  });

  test('ordered logs reads a canonical block again after a read that gave it up on a side branch', async () => {
    const { added } = move(0, 1);
    const { hash } = added[0]!;
    const first = reading.get(hash)!;
    first.reject(gapError);
    await turn();
    expect(reading.get(hash)).not.toBe(first);
    await read(hash);
    expect(shape()).toEqual([[[], [11]]]);
    expect(failed).toEqual([]);
  });

  test('ordered logs fails when the node has no eth_getLogs', async () => {
    const { added } = move(0, 1);
    const error = new GraphError('METHOD_NOT_SUPPORTED', 'no');
    reading.get(added[0]!.hash)!.reject(error);
    await turn();
    expect(failed).toEqual([error]);
  });

  test('ordered logs fails with GAP_TOO_LARGE when more than 4,096 blocks are queued', () => {
    const head = headOf(chain.head);
    orderedLogs.enqueue({ removed: [], added: Array.from({ length: 4_097 }, () => head) }, head);
    expect(failed.map(({ code }) => code)).toEqual(['GAP_TOO_LARGE']);
  });
});

test('ordered logs neither emits nor reads after it is stopped inside an emit', async () => {
  orderedLogs = createOrderedLogs({
    head: headOf(chain.head),
    logsOf,
    emit(change) {
      emitted.push(change);
      orderedLogs.stop();
    },
    fail: (error) => void failed.push(error),
  });
  const { added } = move(0, 40);
  await read(added[0]!.hash);
  expect(shape()).toEqual([[[], [11]]]);
  expect(reading.size).toBe(32);
  await read(added[1]!.hash);
  expect(emitted).toHaveLength(1);
  expect(failed).toEqual([]);
});
