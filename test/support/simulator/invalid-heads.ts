import { hex, type SimChain } from './chain.ts';
import { blockOf } from './rpc-simulator.ts';

/** Kinds of heads that are not on the chain, as a subscription could announce them. */
export const INVALID_HEAD_KINDS = [
  'largest number',
  'largest number on the head',
  'beyond the window',
  'number that skips some',
  'unknown parent just above',
  'far below',
  'hash of another height',
  'fields that do not make the hash',
] as const;
export type InvalidHeadKind = (typeof INVALID_HEAD_KINDS)[number];

/** Creates an invalid header of that kind, relative to the head of a chain. */
export function invalidHeader(kind: InvalidHeadKind, chain: SimChain, draw: () => number): Record<string, unknown> {
  const randomHash = () => `0x${Array.from({ length: 64 }, () => Math.floor(draw() * 16).toString(16)).join('')}`;
  const { head } = chain;
  const base = { ...blockOf(head), hash: randomHash(), parentHash: randomHash(), stateRoot: randomHash() };
  switch (kind) {
    case 'largest number':
      return { ...base, number: hex(Number.MAX_SAFE_INTEGER) };
    case 'largest number on the head':
      return { ...base, number: hex(Number.MAX_SAFE_INTEGER), parentHash: head.hash };
    case 'beyond the window':
      return { ...base, number: hex(head.height + 1_025 + Math.floor(draw() * 1e9)) };
    case 'number that skips some':
      return { ...base, number: hex(head.height + 2 + Math.floor(draw() * 500)), parentHash: head.hash };
    case 'unknown parent just above':
      return { ...base, number: hex(head.height + 1 + Math.floor(draw() * 3)) };
    case 'far below':
      return { ...base, number: hex(Math.floor(draw() * 10)) };
    case 'hash of another height':
      return { ...base, number: hex(head.height + 2_000), hash: chain.main.at(Math.max(0, head.height - 5))!.hash };
    case 'fields that do not make the hash':
      return { ...base, number: hex(head.height + 1), parentHash: head.hash, timestamp: '0xffffffffffff' };
  }
}
