import { type Authorization, hexlify, keccak256, Transaction, type TransactionLike, toQuantity, Wallet } from 'ethers';
import type { RpcLog, RpcTransaction } from '../../../../src/ethereum/rpc-types.ts';

/** A transaction of a block to build: its JSON without its position, its encoding, and the part of its receipt that a test chooses. */
export interface BuiltTransaction {
  readonly json: Readonly<Record<string, unknown>> & Pick<RpcTransaction, 'hash' | 'from' | 'to'> & { readonly type?: string };
  readonly raw: string;
  readonly receipt: { readonly gasUsed: number; readonly logs?: readonly EmittedLog[]; readonly [name: string]: unknown };
}

type EmittedLog = Pick<RpcLog, 'address' | 'topics' | 'data'>;
type TransactionJson = ReturnType<typeof transactionJson>;

export const SENDER = new Wallet(keccak256('0x5e'));

/** The account that delegates to a contract. */
export const AUTHORITY = new Wallet(keccak256('0xa0'));

/** An authorization of the account to use the code of a contract. */
export const authorize = (address: string): Authorization => AUTHORITY.authorizeSync({ address, nonce: 3, chainId: 1 });

/** Signs a transaction. Without a chain id, as before EIP-155. */
export function signedTransaction(
  request: TransactionLike,
  receipt: BuiltTransaction['receipt'],
  shape: (json: TransactionJson) => BuiltTransaction['json'] = (json) => json,
): BuiltTransaction {
  const transaction = Transaction.from({ gasLimit: 90_000, value: 1, ...request });
  transaction.signature = SENDER.signingKey.sign(transaction.unsignedHash);
  const raw = transaction.serialized;
  return { json: shape(transactionJson(Transaction.from(raw))), raw, receipt };
}

const quantityOrUndefined = (value: bigint | number | null | undefined) =>
  value === null || value === undefined ? undefined : toQuantity(value);

/** The JSON of a signed transaction as geth returns it. Values that its type does not have are undefined. */
function transactionJson(tx: Transaction) {
  const { r, s, yParity, legacyChainId, networkV, v } = tx.signature!;
  const isLegacy = tx.type === 0;
  return {
    type: toQuantity(tx.type!),
    chainId: isLegacy && legacyChainId === null ? undefined : toQuantity(tx.chainId),
    nonce: toQuantity(tx.nonce),
    gas: toQuantity(tx.gasLimit),
    gasPrice: toQuantity((tx.gasPrice ?? tx.maxFeePerGas)!),
    maxFeePerGas: quantityOrUndefined(tx.maxFeePerGas),
    maxPriorityFeePerGas: quantityOrUndefined(tx.maxPriorityFeePerGas),
    maxFeePerBlobGas: quantityOrUndefined(tx.maxFeePerBlobGas),
    to: tx.to?.toLowerCase() ?? null,
    from: tx.from!.toLowerCase(),
    value: toQuantity(tx.value),
    input: hexlify(tx.data),
    accessList: tx.accessList?.map(({ address, storageKeys }) => ({ address: address.toLowerCase(), storageKeys })),
    blobVersionedHashes: tx.blobVersionedHashes ?? undefined,
    authorizationList: tx.authorizationList?.map((one) => ({
      chainId: toQuantity(one.chainId),
      address: one.address.toLowerCase(),
      nonce: toQuantity(one.nonce),
      yParity: toQuantity(one.signature.yParity),
      r: toQuantity(BigInt(one.signature.r)),
      s: toQuantity(BigInt(one.signature.s)),
    })),
    r: toQuantity(BigInt(r)),
    s: toQuantity(BigInt(s)),
    v: isLegacy ? toQuantity(networkV ?? v) : toQuantity(yParity),
    yParity: isLegacy ? undefined : toQuantity(yParity),
    hash: tx.hash!,
  };
}

/** Removes the properties that nodes did not return before the first typed transactions. */
export const asOldNode = ({ type: _type, chainId: _chainId, ...json }: TransactionJson) => json;

/** Removes `v`, which is optional for typed transactions. */
export const withoutV = ({ v: _v, ...json }: TransactionJson) => json;
