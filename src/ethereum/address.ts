import { getAddress } from 'ethers/address';
import { LRUCache } from 'lru-cache';
import { type Data, toData } from './hex.ts';

const MIXED_CASE_ADDRESS = /^0x(?=.*[a-f])(?=.*[A-F])[0-9a-fA-F]{40}$/;

/** Whether a value is an address in mixed case, which has an EIP-55 checksum, valid or not. */
export const isChecksummedAddress = (value: unknown): value is string =>
  typeof value === 'string' && value.length === 42 && MIXED_CASE_ADDRESS.test(value);

/** Whether checksums are correct. Cached, because one takes 13 us and many reads of an operation can share a list of addresses. */
const checksums = new LRUCache<string, boolean>({
  max: 4_096,
  memoMethod: (address) => getAddress(address.toLowerCase()) === address,
});

/** Converts an address to lower case; undefined when its mixed case is a wrong EIP-55 checksum. */
export function toAddress(value: unknown): Data | undefined {
  const address = toData(value, 20);
  return address === undefined || !isChecksummedAddress(value) || checksums.memo(value) ? address : undefined;
}
