import { expect, test } from '@jest/globals';
import { ResponseDependencies } from '../../../src/operation/response-dependencies.ts';
import { responseLifetime } from '../../../src/snapshot/chain-facts.ts';
import type { FollowedChain } from '../../../src/snapshot/pinned-block.ts';
import { hashOf } from '../../support/upstream/rpc-fixtures.ts';

const HEAD = hashOf(20);
const FINAL = Number.POSITIVE_INFINITY;

interface Case {
  readonly read?: (dependencies: ResponseDependencies) => void;
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
  [
    'a block by hash whose height follows',
    {
      read: (d) => {
        d.addBlock(hashOf(5));
        d.addBlock(hashOf(5), 5);
      },
    },
    FINAL,
  ],
  ['a block by hash of unknown height', { read: (d) => d.addBlock(hashOf(8)) }, 7],
  ['a block that is not final', { read: (d) => d.addBlock(hashOf(11), 11) }, 7],
  [
    'a final block and one that is not',
    {
      read: (d) => {
        d.addBlock(hashOf(5), 5);
        d.addBlock(hashOf(11), 11);
      },
    },
    7,
  ],
  ['a final block without known finality', { read: (d) => d.addBlock(hashOf(0), 0), finalizedHeight: -1 }, 7],
  [
    'a final block and a value of the head',
    {
      read: (d) => {
        d.addBlock(hashOf(5), 5);
        d.addHead();
      },
    },
    7,
  ],
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
  [
    'a result that may be missing',
    {
      read: (d) => {
        d.addBlock(hashOf(5), 5);
        d.addUnconfirmed('call');
      },
    },
    undefined,
  ],
  [
    'a confirmed result',
    {
      read: (d) => {
        d.addBlock(hashOf(5), 5);
        d.addUnconfirmed('call');
        d.confirm('call');
      },
    },
    FINAL,
  ],
])('a response that depends on %s has the right lifetime', (_case, response, lifetime) => {
  expect(lifetimeOf(response)).toBe(lifetime);
});
