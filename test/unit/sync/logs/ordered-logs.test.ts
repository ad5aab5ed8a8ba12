import { beforeEach, describe, expect, test } from '@jest/globals';
import { GraphError } from '../../../../src/errors.ts';
import type { RpcLog } from '../../../../src/ethereum/rpc-types.ts';
import type { Head } from '../../../../src/sync/chain/rpc-header.ts';
import { type LogChange, OrderedLogs } from '../../../../src/sync/logs/ordered-logs.ts';
import { SimChain } from '../../../support/simulator/chain.ts';
import { headOf } from '../../../support/simulator/fork-choice-driver.ts';

const lost = new GraphError('GAP_TOO_LARGE', 'gone');
const turn = () => new Promise((resolve) => setImmediate(resolve));

let chain: SimChain;
let emitted: LogChange[];
let failed: GraphError[];
/** What is being read, and how to conclude it. */
let reading: Map<string, { resolve(): void; reject(error: GraphError): void; readonly signal: AbortSignal }>;
let pipe: OrderedLogs;

const logsOf = (head: Head, signal: AbortSignal) =>
  new Promise<readonly RpcLog[]>((resolve, reject) => {
    reading.set(head.hash, { resolve: () => resolve(chain.block(head.hash)!.logs as readonly RpcLog[]), reject, signal });
  });

beforeEach(() => {
  chain = new SimChain({ seed: 1 });
  chain.mine(10);
  emitted = [];
  failed = [];
  reading = new Map();
  pipe = new OrderedLogs({
    head: headOf(chain.head),
    logsOf,
    emit: (change) => void emitted.push(change),
    fail: (error) => void failed.push(error),
  });
});

const move = (depth: number, length: number) => {
  const { removed, added } = chain.reorg(depth, length);
  pipe.enqueue({ removed: removed.map(headOf), added: added.map(headOf) }, headOf(chain.head));
  return { removed, added };
};

const read = async (...hashes: readonly string[]) => {
  for (const hash of hashes) reading.get(hash)!.resolve();
  await turn();
  await turn();
};

const shape = () =>
  emitted.map(({ removed, added }) => [removed.map(({ head }) => head.height), added.map(({ head }) => head.height)]);

describe('what is read is told in order', () => {
  test('as far as it is read, with what goes first', async () => {
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
    expect(pipe.head?.height).toBe(11);
    await read(added[3]!.hash);
    expect(shape()[1]).toEqual([[], [12]]);
    expect(pipe.head?.height).toBe(12);
  });

  test('what goes does not go alone while something takes its place', async () => {
    const { removed } = move(1, 1);
    await read(removed[0]!.hash);
    expect(emitted).toEqual([]);
    expect(pipe.head?.hash).toBe(removed[0]!.hash);
  });

  test('what goes and nothing takes its place leaves the block below', async () => {
    const { removed } = move(2, 0);
    await read(...removed.map(({ hash }) => hash));
    expect(shape()).toEqual([[[10, 9], []]]);
    expect(pipe.head?.hash).toBe(chain.head.hash);
  });

  test('what has come and gone meanwhile is not read to its end', async () => {
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

  test('not more than 32 blocks are read ahead', async () => {
    const { added } = move(0, 50);
    expect(reading.size).toBe(32);
    await read(...added.slice(0, 32).map(({ hash }) => hash));
    expect(reading.size).toBe(50);
    expect(pipe.head?.hash).toBe(added[31]!.hash);
  });
});

describe('what cannot be read', () => {
  test('fails the pipe when it has to go', async () => {
    const { removed } = move(1, 2);
    reading.get(removed[0]!.hash)!.reject(lost);
    await turn();
    expect(failed).toEqual([lost]);
    expect([...reading.values()].every(({ signal }) => signal.aborted)).toBe(true);
  });

  test('is read again when it was given up as abandoned and is of the chain', async () => {
    const { added } = move(0, 1);
    const { hash } = added[0]!;
    const first = reading.get(hash)!;
    first.reject(lost);
    await turn();
    expect(reading.get(hash)).not.toBe(first);
    await read(hash);
    expect(shape()).toEqual([[[], [11]]]);
    expect(failed).toEqual([]);
  });

  test('fails the pipe when the node has no logs', async () => {
    const { added } = move(0, 1);
    const error = new GraphError('METHOD_NOT_SUPPORTED', 'no');
    reading.get(added[0]!.hash)!.reject(error);
    await turn();
    expect(failed).toEqual([error]);
  });

  test('fails the pipe when it is thousands of blocks', () => {
    const head = headOf(chain.head);
    pipe.enqueue({ removed: [], added: Array.from({ length: 4_097 }, () => head) }, head);
    expect(failed.map(({ code }) => code)).toEqual(['GAP_TOO_LARGE']);
  });
});

test('a pipe that is stopped tells nothing and reads nothing more, also when that happens as it tells', async () => {
  pipe = new OrderedLogs({
    head: headOf(chain.head),
    logsOf,
    emit(change) {
      emitted.push(change);
      pipe.stop();
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
