import { keccakBytes } from './encoding/keccak.ts';
import type { Data } from './hex.ts';
import type { RpcLog } from './rpc-types.ts';

/** Length of a bloom of 2048 bits in hex, with its prefix. */
const BLOOM_HEX_LENGTH = 514;

/** A bloom without any bit. */
const EMPTY_BLOOM = `0x${'0'.repeat(512)}`;

/** Whether a bloom has no bit set, or is not a bloom. */
export const isEmptyBloom = (bloom: unknown): boolean =>
  typeof bloom !== 'string' || bloom.length !== BLOOM_HEX_LENGTH || bloom === EMPTY_BLOOM;

/**
 * Whether a bloom proves that its block has logs: some but not all bits are set. Nodes that do not compute blooms send
 * a bloom without any bit, or with every bit set.
 */
export const bloomShowsLogs = (bloom: unknown): boolean => !isEmptyBloom(bloom) && !/^0xf*$/i.test(bloom as string);

/** Returns the three bits of an address or a topic. */
export function bloomBitsOf(value: Data): readonly [number, number, number] {
  const hash = keccakBytes(value.slice(2));
  const bitAt = (i: number): number => ((hash[i]! << 8) | hash[i + 1]!) & 2047;
  return [bitAt(0), bitAt(2), bitAt(4)];
}

/** Length of a topic in hex, with its prefix. */
const MAX_VALUE_LENGTH = 66;

/** Number of places for recent addresses and topics, a power of two: about 2 MB. */
const PLACES = 16_384;

/**
 * Recent addresses and topics, and the bits of each: most logs repeat them. A value has one place, which depends on its first and last
 * digits: a Map takes three times as long, because it hashes all digits of a string that a response contains.
 */
const recentValues: Data[] = Array.from({ length: PLACES }, () => '');
const recentBits = new Uint16Array(3 * PLACES);

/** Returns the position of the bits of a value in `recentBits`. */
function positionOf(value: Data): number {
  let place = 0;
  for (let i = 2; i < 6; i++) place = (Math.imul(place, 31) + value.charCodeAt(i)) | 0;
  for (let i = value.length - 6; i < value.length; i++) place = (Math.imul(place, 31) + value.charCodeAt(i)) | 0;
  place &= PLACES - 1;
  if (recentValues[place] !== value) {
    recentBits.set(bloomBitsOf(value), 3 * place);
    recentValues[place] = value;
  }
  return 3 * place;
}

/** The bytes of the bloom that is compared. */
const compared = Buffer.alloc(256);

/** The bloom filter of logs. */
export class LogsBloom {
  readonly #bytes = Buffer.alloc(256);
  readonly #words = new Uint32Array(this.#bytes.buffer);

  /** Adds the addresses and topics of logs. */
  addLogs(logs: readonly Pick<RpcLog, 'address' | 'topics'>[]): void {
    for (const { address, topics } of logs) {
      this.#add(address);
      for (let i = 0; i < topics.length; i++) this.#add(topics[i]!);
    }
  }

  /** Adds the bits of another bloom. */
  addBloom(other: LogsBloom): void {
    const words = other.#words;
    for (let i = 0; i < words.length; i++) this.#words[i]! |= words[i]!;
  }

  toHex(): string {
    return `0x${this.#bytes.toString('hex')}`;
  }

  clear(): void {
    this.#words.fill(0);
  }

  /**
   * Whether a bloom of the node has equal bits. True for a bloom that proves nothing, because the node omits it or does
   * not compute it.
   */
  agreesWith(bloom: unknown): boolean {
    if (isEmptyBloom(bloom)) return true;
    const hasAllDigits = compared.write((bloom as string).slice(2), 'hex') === compared.length;
    return (hasAllDigits && this.#bytes.equals(compared)) || !bloomShowsLogs(bloom);
  }

  /** Whether a bloom of the node has all bits. True for a bloom that proves nothing. */
  isWithin(bloom: unknown): boolean {
    if (!bloomShowsLogs(bloom)) return true;
    compared.write((bloom as string).slice(2), 'hex');
    return this.#bytes.every((byte, i) => (byte & ~compared[i]!) === 0);
  }

  #add(value: Data): void {
    // The scalars report a malformed address or topic.
    if (typeof value !== 'string' || value.length > MAX_VALUE_LENGTH) return;
    const position = positionOf(value);
    for (let i = position; i < position + 3; i++) {
      const bit = recentBits[i]!;
      this.#bytes[255 - (bit >> 3)]! |= 1 << (bit & 7);
    }
  }
}
