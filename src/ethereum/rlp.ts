import type { Data } from './hex.ts';

/** Returns the RLP prefix of a byte string (`base` 0x80) or a list (`base` 0xc0) of `bytes` bytes, as hex digits. */
function rlpPrefix(bytes: number, base: number): string {
  if (bytes < 56) return (base + bytes).toString(16);
  const digits = bytes.toString(16);
  const length = digits.length % 2 === 0 ? digits : `0${digits}`;
  return (base + 55 + length.length / 2).toString(16) + length;
}

/**
 * Returns the RLP encoding of a list of byte strings in lower case. It works on hex digits: `encodeRlp` of ethers converts
 * each byte of a header separately, which takes as long as hashing it.
 */
export function encodeRlpList(items: readonly Data[]): Uint8Array {
  const encoded = items.map((item) => {
    const digits = item.slice(2);
    const isOwnEncoding = digits.length === 2 && digits < '80';
    return isOwnEncoding ? digits : rlpPrefix(digits.length / 2, 0x80) + digits;
  });
  const payload = encoded.join('');
  return Buffer.from(rlpPrefix(payload.length / 2, 0xc0) + payload, 'hex');
}
