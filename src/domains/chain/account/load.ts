import DataLoader from 'dataloader';
import type { RpcAccountProof } from '../../../ethereum/account-proof.ts';
import { type Data, isBlockHash, isHeight } from '../../../ethereum/hex.ts';
import type { BlockRef } from '../../../ethereum/rpc-types.ts';
import { GraphError } from '../../../lib/errors.ts';
import { createEntityLoader } from '../../../operation/entity-loader.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { requireMethod } from '../../../snapshot/node-capabilities.ts';
import type { Head } from '../../../sync/chain/rpc-header.ts';
import type { Settled } from '../../../upstream/rpc/rpc-call.ts';
import type { BlockReads } from '../block/reads.ts';
import { type AccountAtBlock, accountId, type StateField } from '../model.ts';
import { accountReads, MAX_STORAGE_KEYS, proofOf } from './methods.ts';
import { provenStateReader } from './proven-state.ts';
import { MAX_STORAGE_VALUES, storageValueReader } from './storage-values.ts';

const GENESIS = '0x0';

type AccountState = Record<StateField, Settled<string> | undefined>;

/** Creates the loaders of account state, keyed by address, block and the selected fields or storage slot. */
export function accountLoader(snapshot: Snapshot, parts: { readonly blocks: BlockReads }) {
  const { stateReader, session, pin, operation } = snapshot;
  const proven = operation.trust?.requested.has('state') ? provenStateReader(snapshot, parts.blocks) : undefined;
  if (!proven) operation.trust?.addUnproven('state');

  /** One key reads all selected fields, so that an account needs one promise instead of one for each field. */
  const accounts = new DataLoader<{ account: AccountAtBlock; fields: readonly StateField[] }, AccountAtBlock, string>(
    (reads) =>
      new Promise((resolve) => {
        const loaded: AccountAtBlock[] = [];
        let pending = 0;
        for (const { fields } of reads) pending += fields.length;
        for (const { account, fields } of reads) {
          const state: AccountState = { balance: undefined, transactionCount: undefined, code: undefined };
          loaded.push(accountWithState(account, state));
          stateReader.readMany(fields.map(methodOf), account, (i, settled) => {
            state[fields[i]!] = settled;
            pending -= 1;
            if (pending === 0) resolve(loaded);
          });
        }
      }),
    { cacheKeyFn: ({ account: { address, at }, fields }) => `${address} ${at} ${fieldBits(fields)}` },
  );

  const storage = createEntityLoader(
    ({ account, slot }: { readonly account: AccountAtBlock; readonly slot: string }) =>
      stateReader.read(accountReads.storage, account, slot),
    ({ account: { address, at }, slot }) => `${address} ${at} ${slot}`,
  );

  const storageOf = storageValueReader(snapshot, (account, slot) => storage.load({ account, slot }));

  const idAtHead = ({ address, at }: AccountAtBlock, { hash }: Head): string =>
    accountId(address, at === 'pending' ? `pending-${hash}` : hash);

  const idAtHeight = (address: Data, height: BlockRef): string => {
    const ref = pin.resolveRef(height);
    if (isBlockHash(ref)) operation.dependencies.addBlock(ref, Number(height));
    else operation.dependencies.addHeight(Number(height));
    return accountId(address, ref);
  };

  const readUnproven = (account: AccountAtBlock, fields: readonly StateField[]) => accounts.load({ account, fields });
  const readProven =
    proven &&
    (async (account: AccountAtBlock, fields: readonly StateField[]): Promise<AccountAtBlock> => {
      try {
        const state = await proven.fields(account, fields);
        return state ? accountWithState(account, state) : await readUnproven(account, fields);
      } catch (error) {
        const failed = { error };
        return accountWithState(account, { balance: failed, transactionCount: failed, code: failed });
      }
    });

  const readState = readProven ?? readUnproven;

  return {
    /**
     * The id of an account: its address and the block of its state. Sends no request unless the head of the operation is unknown and the account
     * is read at it.
     */
    idOf(account: AccountAtBlock): string | Promise<string> {
      const { address } = account;
      const at = account.at === 'earliest' ? GENESIS : account.at;
      if (isBlockHash(at)) return accountId(address, at);
      if (isHeight(at)) return pin.isUnresolved ? pin.head().then(() => idAtHeight(address, at)) : idAtHeight(address, at);
      pin.recordHeadRead();
      return pin.knownHead ? idAtHead(account, pin.knownHead) : pin.head().then((head) => idAtHead(account, head));
    },

    /** Loads an account with the selected state fields. Never rejects: each field has its own result. */
    withState: readState,

    /** Loads one state field of an account. */
    async stateField(account: AccountAtBlock, field: StateField): Promise<string> {
      const { state } = await readState(account, [field]);
      const settled = state![field]!;
      if ('error' in settled) throw settled.error;
      return settled.value;
    },

    /** Loads the word in a storage slot of an account. Source: `eth_getStorageAt`. */
    storage(account: AccountAtBlock, slot: string): Promise<string> {
      const read = () => storage.load({ account, slot });
      return proven ? proven.storageMany(account, [slot]).then((words) => words?.[0] ?? read()) : read();
    },

    /**
     * Loads the words in storage slots of an account. Rejects with BAD_USER_INPUT for more than 1,024 slots. Source: `eth_getStorageValues`, else
     * `eth_getStorageAt`; `eth_getProof` for each 100 slots if state is verified.
     */
    async storageMany(account: AccountAtBlock, slots: readonly Data[]): Promise<readonly Data[]> {
      assertFewKeys('slots', slots, MAX_STORAGE_VALUES);
      if (slots.length === 0) return [];
      return (await proven?.storageMany(account, slots)) ?? storageOf.load({ account, slots });
    },

    /**
     * Loads the Merkle proof of an account and of storage slots. Rejects with BAD_USER_INPUT for more than 100 slots,
     * and with METHOD_NOT_SUPPORTED on a node without the method, which the server calls at most once a minute per endpoint.
     * Source: `eth_getProof`.
     */
    async proof(account: AccountAtBlock, storageKeys: readonly Data[]): Promise<RpcAccountProof> {
      assertFewKeys('storageKeys', storageKeys, MAX_STORAGE_KEYS);
      const proof = await proven?.proof(account, storageKeys);
      return proof ?? requireMethod(session, proofOf.name, () => stateReader.read(proofOf, account, storageKeys));
    },
  };
}

function assertFewKeys(argument: string, { length }: readonly Data[], limit: number): void {
  if (length <= limit) return;
  const message = `\`${argument}\` has ${length} keys. Pass at most ${limit}.`;
  throw new GraphError('BAD_USER_INPUT', message, { limit, actual: length });
}

/** A literal, because a copy with a further property takes half a microsecond and more than a kilobyte. */
const accountWithState = ({ address, at, height }: AccountAtBlock, state: AccountState) => ({ address, at, height, state });

const methodOf = (field: StateField) => accountReads[field];

const FIELD_BITS: Readonly<Record<StateField, number>> = { balance: 1, transactionCount: 2, code: 4 };

/** A number for a set of fields; cheaper in a key than their joined names. */
function fieldBits(fields: readonly StateField[]): number {
  let bits = 0;
  for (const field of fields) bits |= FIELD_BITS[field];
  return bits;
}
