import type { RpcAccountAccess } from '../../../ethereum/block-access-list.ts';
import { listOrNull } from '../../../ethereum/decoders.ts';
import { checkedBlock, encodeHeader } from '../../../ethereum/encoding/block.ts';
import { keccakOfDigits } from '../../../ethereum/encoding/keccak.ts';
import { mapSteps } from '../../../ethereum/encoding/list-root.ts';
import { checkedReceipts, encodeTransaction, isKnownType } from '../../../ethereum/encoding/transaction.ts';
import { type Data, type Quantity, quantityOf, sameData } from '../../../ethereum/hex.ts';
import type { RpcBlock, RpcReceipt, RpcTransaction } from '../../../ethereum/rpc-types.ts';
import { GraphError } from '../../../lib/errors.ts';
import { finishYielding } from '../../../lib/operation-budget.ts';
import { createEntityLoader } from '../../../operation/entity-loader.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { nullIfUnsupported, requireMethod, withFallback } from '../../../snapshot/node-capabilities.ts';
import { type PartialTransaction, transactionHashOf } from '../model.ts';
import { rawTransactionBy } from '../transaction/methods.ts';
import { blockAccessList, blockAccessListByHash } from './methods.ts';
import { type BlockPlan, HEADER_ONLY_PLAN } from './plan.ts';
import type { BlockReads } from './reads.ts';

const RECEIPTS_PLAN: BlockPlan = { ...HEADER_ONLY_PLAN, receipts: true };

/**
 * Creates the loader of access lists, and of encoded blocks, transactions and receipts. Encodes the node's values and checks the result against the hash or the root that
 * commits to it, so that it returns no wrong bytes.
 */
export function encodingLoader(snapshot: Snapshot, blocks: BlockReads) {
  const { budget } = snapshot.operation;

  const rawTransaction = (transaction: PartialTransaction): Data | Promise<Data> => {
    const encoded = encodeTransaction(transaction as RpcTransaction);
    const isOwn = encoded !== undefined && sameData(keccakOfDigits(encoded), transaction.hash);
    return isOwn ? `0x${encoded}` : rawTransactionOfNode(transaction);
  };

  /** Reads an encoded transaction of a type that this server does not know, or that the chain encodes in another way. */
  const rawTransactionOfNode = async ({ hash, type }: PartialTransaction): Promise<Data> => {
    const raw = await nullIfUnsupported(snapshot, rawTransactionBy.name, () => snapshot.calls.call(rawTransactionBy, hash));
    if (raw !== null) return raw;
    if (isKnownType(type)) throw invalidEncoding('The values of the transaction do not have its hash.');
    const message = `The server cannot encode a transaction of this type, and the node does not return it by ${rawTransactionBy.name}.`;
    throw new GraphError('METHOD_NOT_SUPPORTED', message);
  };

  const rawHeader = (header: RpcBlock): Data => {
    const encoded = encodeHeader(header);
    if (encoded !== undefined && sameData(keccakOfDigits(encoded), header.hash)) return `0x${encoded}`;
    throw invalidEncoding('The values of the header do not have the hash of the block.');
  };

  /** The encoded receipts of the blocks that the operation has loaded. */
  const receiptsByBlock = new WeakMap<RpcBlock, Promise<readonly Data[]>>();
  const rawReceipts = (of: RpcBlock): Promise<readonly Data[]> => {
    const encode = (receipts: readonly RpcReceipt[]) => finishYielding(checkedReceipts(receipts, of.receiptsRoot), budget);
    const encoded = receiptsByBlock.get(of) ?? blocks.contentsIn(of).receipts.then(encode);
    receiptsByBlock.set(of, encoded);
    return encoded;
  };

  const accessLists = createEntityLoader(
    ({ hash, blockAccessListHash }: RpcBlock) => {
      const { calls, session } = snapshot;
      const call = (method: typeof blockAccessList) => calls.call(method, hash, blockAccessListHash!);
      const readByHash = () => requireMethod(session, blockAccessListByHash.name, () => call(blockAccessListByHash));
      return withFallback(session, blockAccessList.name, () => call(blockAccessList), readByHash);
    },
    ({ hash }) => hash,
  );

  return {
    /** The access list of a block, checked against its hash in the header; null for a block without that hash. */
    async accessList(of: RpcBlock): Promise<readonly RpcAccountAccess[] | null> {
      if (!of.blockAccessListHash) return null;
      const found = await accessLists.load(of);
      if (found) return found;
      throw new GraphError('BLOCK_NOT_AVAILABLE', 'The node no longer has the access list of this block.', { source: 'node' });
    },

    /** The encoded transaction; synchronous unless the node has to encode it. Source otherwise: `eth_getRawTransactionByHash`. */
    rawTransaction,

    /** The encoded receipt of a transaction; `0x` while it is pending. */
    async rawReceipt({ hash, blockHash, transactionIndex }: PartialTransaction): Promise<Data> {
      if (!blockHash) return '0x';
      const found = await blocks.load(blockHash, RECEIPTS_PLAN);
      const index = Number(transactionIndex);
      const listed = listOrNull<string | RpcTransaction>(found?.transactions)?.[index];
      if (found && listed !== undefined && sameData(transactionHashOf(listed), hash)) return (await rawReceipts(found))[index]!;
      throw new GraphError('BLOCK_NOT_AVAILABLE', 'The node no longer has the block of this transaction.');
    },

    /** The encoded header of a block. */
    rawHeader,

    /** The encoded block; `0x` for an ommer. */
    async rawBlock(of: RpcBlock): Promise<Data> {
      const transactions = blocks.transactionsIn(of);
      if (transactions === null) return '0x';
      const ommers = listOrNull<Data>(of.uncles) ?? [];
      const rawOmmer = async (index: Quantity) => rawHeader((await blocks.loader.ommer(of, index)) ?? throwOmmerMissing());
      const rawOmmers = Promise.all(ommers.map((_hash, i) => rawOmmer(quantityOf(i))));
      // The await below reports a rejection, but an error of a transaction may prevent that await.
      rawOmmers.catch(() => {});
      const rawTransactions = await Promise.all(await finishYielding(mapSteps(transactions, rawTransaction), budget));
      return finishYielding(checkedBlock(of, rawHeader(of), rawTransactions, await rawOmmers), budget);
    },
  };
}

const invalidEncoding = (message: string) => new GraphError('UPSTREAM_BAD_RESPONSE', `Invalid result of the node. ${message}`);

function throwOmmerMissing(): never {
  throw new GraphError('BLOCK_NOT_AVAILABLE', 'The node has the block, but not its ommers.');
}
