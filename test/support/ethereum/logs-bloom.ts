import { keccak256 } from 'ethers/crypto';

/** A cache: most tests repeat a few values. */
const bitsByValue = new Map<string, readonly number[]>();

function bitsOf(value: string): readonly number[] {
  const hash = Buffer.from(keccak256(value).slice(2), 'hex');
  return [0, 2, 4].map((at) => hash.readUInt16BE(at) & 2047);
}

/** Computes the bloom filter of logs, independently of the server. */
export function bloomOf(logs: readonly { readonly address: string; readonly topics: readonly string[] }[]): string {
  const bloom = Buffer.alloc(256);
  for (const value of logs.flatMap(({ address, topics }) => [address, ...topics])) {
    const bits = bitsByValue.get(value) ?? bitsOf(value);
    bitsByValue.set(value, bits);
    for (const bit of bits) bloom[255 - (bit >> 3)]! |= 1 << (bit & 7);
  }
  return `0x${bloom.toString('hex')}`;
}
