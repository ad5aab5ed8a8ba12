import DataLoader from 'dataloader';
import type { Data } from '../../../ethereum/hex.ts';
import type { BlockRef } from '../../../ethereum/rpc-types.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { withFallback } from '../../../snapshot/node-capabilities.ts';
import type { AccountAtBlock } from '../model.ts';
import { type StorageSlots, storageValues } from './methods.ts';

/** Maximum number of slots of one call: the limit of geth. */
export const MAX_STORAGE_VALUES = 1_024;

interface StorageRead {
  readonly account: AccountAtBlock;
  readonly slots: readonly Data[];
}

/** Splits reads into calls: each at one block, with at most 1,024 slots. */
function groupReads(reads: readonly StorageRead[]): readonly (readonly StorageRead[])[] {
  const groups: StorageRead[][] = [];
  const last = new Map<BlockRef, { readonly reads: StorageRead[]; count: number }>();
  for (const read of reads) {
    let group = last.get(read.account.at);
    if (!group || group.count + read.slots.length > MAX_STORAGE_VALUES) {
      group = { reads: [], count: 0 };
      last.set(read.account.at, group);
      groups.push(group.reads);
    }
    group.reads.push(read);
    group.count += read.slots.length;
  }
  return groups;
}

/** The distinct slots of each account. */
function slotsOf(reads: readonly StorageRead[]): StorageSlots {
  const byAddress = new Map<Data, Set<Data>>();
  for (const { account, slots } of reads) {
    const distinct = byAddress.get(account.address) ?? new Set();
    byAddress.set(account.address, distinct);
    for (const slot of slots) distinct.add(slot);
  }
  return Object.fromEntries([...byAddress].map(([address, slots]) => [address, [...slots]]));
}

/**
 * Creates the DataLoader of the words in storage slots: all reads of a tick at one block share a call. On a node without the method, `readSlot` reads each
 * slot. Source: `eth_getStorageValues`.
 */
export function storageValueReader(
  { stateReader, session }: Snapshot,
  readSlot: (account: AccountAtBlock, slot: Data) => Promise<Data>,
) {
  const readGroup = (reads: readonly StorageRead[]): readonly (readonly [StorageRead, Promise<readonly Data[]>])[] => {
    const slots = slotsOf(reads);
    const send = () => stateReader.read(storageValues, reads[0]!.account, slots);
    const words = withFallback<Awaited<ReturnType<typeof send>> | null>(session, storageValues.name, send, async () => null);
    const select = async ({ account, slots: selected }: StorageRead): Promise<readonly Data[]> => {
      const known = (await words)?.get(account.address);
      return known ? selected.map((slot) => known.get(slot)!) : Promise.all(selected.map((slot) => readSlot(account, slot)));
    };
    return reads.map((read) => [read, select(read)] as const);
  };

  return new DataLoader<StorageRead, readonly Data[], string>(
    (reads) => {
      const values = new Map(groupReads(reads).flatMap(readGroup));
      return Promise.all(reads.map((read) => values.get(read)!.catch((error: Error) => error)));
    },
    { cacheKeyFn: ({ account: { address, at }, slots }) => `${address} ${at} ${slots.join()}` },
  );
}
