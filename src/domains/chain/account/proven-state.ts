import {
  accountProofContradiction,
  codeContradiction,
  type RpcAccountProof,
  ZERO_WORD,
} from '../../../ethereum/account-proof.ts';
import { word } from '../../../ethereum/decoders.ts';
import { EMPTY_TRIE_ROOT } from '../../../ethereum/encoding/list-root.ts';
import { type Data, isBlockHash, sameData } from '../../../ethereum/hex.ts';
import type { RpcBlock } from '../../../ethereum/rpc-types.ts';
import { type ErrorCode, GraphError } from '../../../lib/errors.ts';
import { createEntityLoader } from '../../../operation/entity-loader.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { requireMethod } from '../../../snapshot/node-capabilities.ts';
import type { Settled } from '../../../upstream/rpc/rpc-call.ts';
import type { BlockReads } from '../block/reads.ts';
import type { AccountAtBlock, StateField } from '../model.ts';
import { isRefused, recordBlock } from '../verification.ts';
import { accountReads, MAX_STORAGE_KEYS, type ProofHeader, proofOf, provenCode } from './methods.ts';

interface ProofKey {
  readonly address: Data;
  readonly header: ProofHeader;
  readonly slots: readonly Data[];
}

/**
 * Errors of nodes that return state without its proof: most prove recent blocks only (Reth by default the head alone), Besu no absent account, and
 * providers may exclude the method from a plan.
 */
const NO_PROOF_CODES: ReadonlySet<ErrorCode> = new Set([
  'METHOD_NOT_SUPPORTED',
  'HISTORY_PRUNED',
  'UPSTREAM_ERROR',
  'UPSTREAM_PROTOCOL_ERROR',
  'UPSTREAM_INTERNAL',
  'UPSTREAM_AUTH',
]);

/**
 * Creates the reader of state with Merkle proofs for an operation that asks to verify state. Its functions resolve with undefined where no proof is
 * possible: for pending state, and where the node returns no proof. Source: `eth_getProof`, and `eth_getCode` for code.
 */
export function provenStateReader(snapshot: Snapshot, blocks: BlockReads) {
  const { calls, pin, session, stateReader, operation } = snapshot;

  /** The header of an account's block, which is read unless it is known. */
  const headerOf = async ({ at }: AccountAtBlock): Promise<ProofHeader | null> => {
    if (at === 'pending') return null;
    if (pin.isUnresolved) await pin.head();
    const ref = at === 'latest' ? (await pin.head()).hash : pin.resolveRef(at === 'earliest' ? '0x0' : at);
    const known = isBlockHash(ref) ? blocks.headerOf(ref)?.header : undefined;
    const block = known?.stateRoot ? (known as RpcBlock) : await blocks.loader.load(ref, false);
    recordBlock(snapshot, ref, block);
    // The first block of anvil has the root of no state, and its blocks on top of a forked chain have zeros.
    return block && [EMPTY_TRIE_ROOT, ZERO_WORD].some((root) => sameData(block.stateRoot, root)) ? null : block;
  };

  const proofs = createEntityLoader(
    async ({ address, header, slots }: ProofKey): Promise<RpcAccountProof> => {
      const account = { address, at: header.hash, height: header.number };
      const proof = await requireMethod(session, proofOf.name, () => stateReader.read(proofOf, account, slots, header));
      operation.trust?.checks.add('stateRoot');
      // A cached proof may have been read before its header was known.
      const contradiction = accountProofContradiction(proof, header.stateRoot, header.number);
      if (!isRefused(snapshot, proofOf.name, proof, contradiction)) return proof;
      return calls.refetch(proofOf, address, { blockHash: header.hash }, slots, header);
    },
    ({ address, header, slots }) => [address, header.hash, ...slots].join(),
  );

  /** Reads code whose hash a proof contains. */
  const readCode = async (address: Data, { hash, number }: ProofHeader, proof: Promise<RpcAccountProof>): Promise<Data> => {
    const read = stateReader.read(accountReads.code, { address, at: hash, height: number });
    const [code, { codeHash }] = await Promise.all([read, proof]);
    if (!isRefused(snapshot, provenCode.name, proof, codeContradiction(code, codeHash))) return code;
    return calls.refetch(provenCode, address, { blockHash: hash }, codeHash);
  };

  /** Calls `read` with the header of an account's block; undefined, and unproven, if there is no proof. */
  const withProof = async <T>(account: AccountAtBlock, read: (header: ProofHeader) => Promise<T>): Promise<T | undefined> => {
    try {
      const header = await headerOf(account);
      if (header) return await read(header);
    } catch (error) {
      if (!(error instanceof GraphError && NO_PROOF_CODES.has(error.code))) throw error;
    }
    operation.trust?.addUnproven('state');
    return undefined;
  };

  return {
    /** Reads fields of an account, each with its own result. */
    fields: (account: AccountAtBlock, fields: readonly StateField[]) =>
      withProof(account, async (header) => {
        const { address } = account;
        const proof = proofs.load({ address, header, slots: [] });
        const read: Record<StateField, () => Promise<string>> = {
          balance: async () => (await proof).balance,
          transactionCount: async () => (await proof).nonce,
          code: () => readCode(address, header, proof),
        };
        const state: Partial<Record<StateField, Settled<string>>> = {};
        const settle = async (field: StateField): Promise<void> => {
          state[field] = await read[field]().then(
            (value) => ({ value }),
            (error: unknown) => ({ error }),
          );
        };
        await Promise.all([proof, ...fields.map(settle)]);
        return state as AccountAtBlock['state'];
      }),

    /** Reads the words in storage slots, with one proof for each 100 slots. */
    storageMany: (account: AccountAtBlock, slots: readonly Data[]) =>
      withProof(account, async (header) => {
        const count = Math.ceil(slots.length / MAX_STORAGE_KEYS);
        const parts = Array.from({ length: count }, (_, i) => slots.slice(i * MAX_STORAGE_KEYS, (i + 1) * MAX_STORAGE_KEYS));
        const { address } = account;
        const loaded = await Promise.all(parts.map((part) => proofs.load({ address, header, slots: part })));
        return loaded.flatMap(({ storageProof }) => storageProof.map(({ value }) => word(value)));
      }),

    /** Reads the proof of an account and of storage slots. */
    proof: (account: AccountAtBlock, slots: readonly Data[]) =>
      withProof(account, (header) => proofs.load({ address: account.address, header, slots })),
  };
}
