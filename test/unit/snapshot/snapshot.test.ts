import { describe, expect, test } from '@jest/globals';
import { GraphError } from '../../../src/lib/errors.ts';
import type { Operation } from '../../../src/operation/operation.ts';
import { ResponseDependencies } from '../../../src/operation/response-dependencies.ts';
import { pinnedHeight, responseLifetime } from '../../../src/snapshot/chain-facts.ts';
import { requireMethod, type WithNodeCapabilities, withFallback } from '../../../src/snapshot/node-capabilities.ts';
import { type FollowedChain, PinnedBlock } from '../../../src/snapshot/pinned-block.ts';
import type { Follower, Head } from '../../../src/sync/head/follower.ts';
import type { OperationCalls } from '../../../src/upstream/rpc/operation-calls.ts';
import { headAt } from '../../support/graph/manual-head.ts';
import { UNSYNCED_FOLLOWER } from '../../support/graph/unsynced-follower.ts';
import { hashOf } from '../../support/upstream/rpc-fixtures.ts';

describe('pinned height', () => {
  /** A chain of 20 blocks; the follower has the headers from height 10. */
  const headAt = (height: number): Head => ({
    hash: hashOf(height),
    number: `0x${height.toString(16)}`,
    height,
    parentHash: hashOf(height - 1),
    header: { number: `0x${height.toString(16)}`, hash: hashOf(height), parentHash: hashOf(height - 1), gasUsed: '0xa410' },
  });
  const heads = Array.from({ length: 11 }, (_, i) => headAt(10 + i));

  const followerOf = (window: readonly Head[]): Follower =>
    ({
      head: window.at(-1),
      oldest: window[0],
      hashAt: (number: string) => window.find((head) => head.number === number)?.hash,
      headerOf: (hash: string) => window.find((head) => head.hash === hash),
      subscribe: () => () => {},
    }) as unknown as Follower;

  const follower = followerOf(heads);

  test('the pinned height is the height of the block that the request names, or of the head', () => {
    expect([undefined, '0x7', hashOf(15), hashOf(99)].map((pinned) => pinnedHeight(follower, pinned))).toEqual([
      20,
      7,
      15,
      undefined,
    ]);
    expect(pinnedHeight(followerOf([]), undefined)).toBeUndefined();
  });
});

describe('node capabilities', () => {
  /** A session that moves from its first endpoint to the second one while a call is in flight. */
  function movingSession() {
    const [first, second] = [new Map<string, true>(), new Map<string, true>()];
    let current = first;
    const session = {
      get capabilities() {
        return { unsupportedMethods: current };
      },
    } as unknown as WithNodeCapabilities;
    const failAtSecond = async (): Promise<never> => {
      current = second;
      throw new GraphError('METHOD_NOT_SUPPORTED', 'The node does not support this method.');
    };
    return { session, first, second, failAtSecond };
  }

  test('withFallback records a missing method for the endpoint that responded, not for the preferred endpoint', async () => {
    const { session, first, second, failAtSecond } = movingSession();
    expect(await withFallback(session, 'eth_x', failAtSecond, async () => 'computed')).toBe('computed');
    expect([[...first.keys()], [...second.keys()]]).toEqual([[], ['eth_x']]);
    const unused = () => Promise.reject(new Error('the missing method was called'));
    expect(await withFallback<string>(session, 'eth_x', unused, async () => 'again')).toBe('again');
  });

  test('requireMethod records a missing method for the endpoint that responded, and rejects the next call without a request', async () => {
    const { session, first, second, failAtSecond } = movingSession();
    await expect(requireMethod(session, 'eth_x', failAtSecond)).rejects.toMatchObject({ code: 'METHOD_NOT_SUPPORTED' });
    expect([[...first.keys()], [...second.keys()]]).toEqual([[], ['eth_x']]);
    const unused = () => Promise.reject(new Error('the missing method was called'));
    await expect(requireMethod(session, 'eth_x', unused)).rejects.toMatchObject({
      code: 'METHOD_NOT_SUPPORTED',
      extensions: { method: 'eth_x', source: 'node' },
    });
  });
});

describe('pinned block', () => {
  /** The head of an operation that has waited for its minimum block. */
  const waited = headAt(22);
  const noCalls = {} as OperationCalls;

  const operationWith = (changes: Partial<Operation>): Operation => ({
    requestId: 'test',
    signal: new AbortController().signal,
    extensions: {},
    dependencies: new ResponseDependencies(),
    ...changes,
  });

  const chainAt = (height: number): FollowedChain => ({
    head: headAt(height),
    oldest: headAt(1),
    settledBelow: 1,
    hashAt: (number) => (Number(number) <= height ? headAt(Number(number)).hash : undefined),
    headerOf: (hash) => [1, height].map((known) => headAt(known)).find((head) => head.hash === hash),
  });

  test('an operation that has waited is pinned to the head that ended the wait', () => {
    const operation = operationWith({ minBlock: 22n, head: waited });
    const pin = new PinnedBlock(operation, noCalls, chainAt(25), undefined);
    expect(pin.knownHead).toBe(waited);
    expect(operation.extensions.block).toEqual({ number: waited.number, hash: waited.hash, parentHash: waited.parentHash });
  });

  test('an operation that has waited stays at its head when the head becomes unknown before the first read', () => {
    const pin = new PinnedBlock(operationWith({ minBlock: 22n, head: waited }), noCalls, UNSYNCED_FOLLOWER, undefined);
    expect(pin.knownHead).toBe(waited);
    expect(() => pin.assertHeadCanonical()).not.toThrow();
  });

  test('an operation that has waited fails with BLOCK_NOT_AVAILABLE when a reorg lowers the head before its first read', () => {
    const pin = new PinnedBlock(operationWith({ minBlock: 22n, head: waited }), noCalls, chainAt(20), undefined);
    expect(pin.knownHead).toBe(waited);
    expect(() => pin.assertHeadCanonical()).toThrow(expect.objectContaining({ code: 'BLOCK_NOT_AVAILABLE' }));
  });
});

describe('response lifetime', () => {
  const HEAD = hashOf(20);
  const FINAL = Number.POSITIVE_INFINITY;

  interface Case {
    readonly read?: (dependencies: ResponseDependencies) => unknown;
    /** The block that the operation was pinned to. */
    readonly head?: string;
    /** The block that the request names. */
    readonly requested?: string;
    readonly finalizedHeight?: number;
    readonly isHeadKnown?: boolean;
  }

  /** The lifetime of a response at height 20; the next head is expected after 7 seconds. */
  function lifetimeOf({ read = () => {}, head, requested, finalizedHeight = 10, isHeadKnown = true }: Case): number | undefined {
    const dependencies = new ResponseDependencies();
    read(dependencies);
    const headerOf = (hash: string) => (hash === hashOf(9) ? { height: 9 } : undefined);
    const hashAt = (number: string) => (number === '0xf' ? hashOf(15) : undefined);
    return responseLifetime(
      {
        follower: { head: isHeadKnown ? { hash: HEAD } : undefined, headerOf, hashAt } as unknown as FollowedChain,
        cache: undefined,
        finalizedHeight: { value: finalizedHeight },
        headSchedule: { secondsToNextHead: 7 },
      },
      {
        requestId: 'test',
        signal: AbortSignal.timeout(60_000),
        block: requested,
        extensions: head === undefined ? {} : { block: { number: requested, hash: head } },
        dependencies,
      },
    );
  }

  test.each<[string, Case, number | undefined]>([
    ['a final block', { read: (d) => d.addBlock(hashOf(10), 10) }, FINAL],
    ['a final block while the head is unknown', { read: (d) => d.addBlock(hashOf(10), 10), isHeadKnown: false }, FINAL],
    ['a final block that was checked against the head', { read: (d) => d.addBlock(hashOf(10), 10), head: HEAD }, FINAL],
    ['a final height', { read: (d) => d.addHeight(10) }, FINAL],
    ['a block by hash whose header is known', { read: (d) => d.addBlock(hashOf(9)) }, FINAL],
    ['a block by hash whose height follows', { read: (d) => [d.addBlock(hashOf(5)), d.addBlock(hashOf(5), 5)] }, FINAL],
    ['a block by hash of unknown height', { read: (d) => d.addBlock(hashOf(8)) }, 7],
    ['a block that is not final', { read: (d) => d.addBlock(hashOf(11), 11) }, 7],
    ['a final block and one that is not', { read: (d) => [d.addBlock(hashOf(5), 5), d.addBlock(hashOf(11), 11)] }, 7],
    ['a final block without known finality', { read: (d) => d.addBlock(hashOf(0), 0), finalizedHeight: -1 }, 7],
    ['a final block and a value of the head', { read: (d) => [d.addBlock(hashOf(5), 5), d.addHead()] }, 7],
    ['the head, even if it is final by now', { read: (d) => d.addBlock(HEAD, 20), head: HEAD, finalizedHeight: 20 }, 7],
    ['a final block that the request names', { read: (d) => d.addBlock(hashOf(5), 5), head: hashOf(5), requested: '0x5' }, FINAL],
    ['a block that the request names', { read: (d) => d.addBlock(hashOf(15), 15), head: hashOf(15), requested: '0xf' }, 7],
    [
      'a block that a reorg has replaced at the height that the request names',
      { read: (d) => d.addBlock(hashOf(16), 15), head: hashOf(16), requested: '0xf' },
      0,
    ],
    ['the head before the current one', { read: (d) => d.addHead(), head: hashOf(19) }, 0],
    ['no block', {}, 7],
    ['no block while the head is unknown', { isHeadKnown: false }, undefined],
    ['a volatile value', { read: (d) => d.addVolatile() }, undefined],
    ['a result that may be missing', { read: (d) => [d.addBlock(hashOf(5), 5), d.addUnconfirmed('call')] }, undefined],
    ['a confirmed result', { read: (d) => [d.addBlock(hashOf(5), 5), d.addUnconfirmed('call'), d.confirm('call')] }, FINAL],
  ])('a response that depends on %s has the right lifetime', (_case, response, lifetime) => {
    expect(lifetimeOf(response)).toBe(lifetime);
  });
});
