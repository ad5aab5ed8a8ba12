import { hex, type SimChain } from './chain.ts';
import { blockOf } from './rpc-simulator.ts';

/** Heads that no chain has, each as a subscription could announce it. */
export const INVALID_HEAD_KINDS = [
  'largest number',
  'largest number on our head',
  'beyond the window',
  'number that skips some',
  'unknown parent just above',
  'far below',
  'hash of another height',
  'fields that do not make the hash',
] as const;
export type InvalidHeadKind = (typeof INVALID_HEAD_KINDS)[number];

/** A header of that kind beside the head of a chain. */
export function invalidHeader(kind: InvalidHeadKind, chain: SimChain, draw: () => number): Record<string, unknown> {
  const word = () => `0x${Array.from({ length: 64 }, () => Math.floor(draw() * 16).toString(16)).join('')}`;
  const { head } = chain;
  const made = { ...blockOf(head), hash: word(), parentHash: word(), stateRoot: word() };
  switch (kind) {
    case 'largest number':
      return { ...made, number: hex(Number.MAX_SAFE_INTEGER) };
    case 'largest number on our head':
      return { ...made, number: hex(Number.MAX_SAFE_INTEGER), parentHash: head.hash };
    case 'beyond the window':
      return { ...made, number: hex(head.height + 1_025 + Math.floor(draw() * 1e9)) };
    case 'number that skips some':
      return { ...made, number: hex(head.height + 2 + Math.floor(draw() * 500)), parentHash: head.hash };
    case 'unknown parent just above':
      return { ...made, number: hex(head.height + 1 + Math.floor(draw() * 3)) };
    case 'far below':
      return { ...made, number: hex(Math.floor(draw() * 10)) };
    case 'hash of another height':
      return { ...made, number: hex(head.height + 2_000), hash: chain.main.at(Math.max(0, head.height - 5))!.hash };
    case 'fields that do not make the hash':
      return { ...made, number: hex(head.height + 1), parentHash: head.hash, timestamp: '0xffffffffffff' };
  }
}
