import { Transaction } from 'ethers/transaction';
import type { Data } from '../../../ethereum/hex.ts';
import { type ErrorDetail, GraphError } from '../../../lib/errors.ts';
import type { Snapshot } from '../../../snapshot/index.ts';
import { transactionBy } from '../../../snapshot/state-methods.ts';
import { isAlreadyKnown } from '../../../upstream/rpc/rpc-errors.ts';
import type { SubmittedTransaction } from '../model.ts';
import { sendRaw } from './methods.ts';

/** Looks a transaction up without using a cached result; null for an unknown transaction, and if the lookup fails. */
const findAgain = (calls: Snapshot['calls'], hash: Data) => calls.refetch(transactionBy, hash).catch(() => null);

/**
 * The check of drop-in mode before a submission. Rejects with NONCE_TOO_LOW when this transaction is mined: nodes disagree on how they
 * respond to it. Ignores a failed lookup, because the node checks the nonce, too. Source: `eth_getTransactionByHash`.
 */
export async function assertNotMined({ calls }: Snapshot, bytes: Data): Promise<void> {
  const { hash } = decodeSignedTransaction(bytes);
  if (!(await findAgain(calls, hash))?.blockHash) return;
  const message = 'The transaction is mined, so its nonce has been used. Send a transaction with the next nonce of the account.';
  throw new GraphError('NONCE_TOO_LOW', message, { hash, method: sendRaw.name });
}

/** Codes after which the node may have accepted the transaction. */
const INDETERMINATE_CODES: ReadonlySet<string> = new Set([
  'TIMEOUT',
  'SHUTTING_DOWN',
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_BAD_RESPONSE',
  'UPSTREAM_INTERNAL',
  'INTERNAL_SERVER_ERROR',
]);

/** Codes of nodes for a mined transaction: it has used its nonce, and may have spent the balance, which some nodes check first. */
const CODES_AFTER_MINING: ReadonlySet<string> = new Set(['NONCE_TOO_LOW', 'INSUFFICIENT_FUNDS']);

/** Network failures before the first byte was sent. */
const CONNECT_FAILURE_CODES = new Set<unknown>(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

const mayHaveBeenSent = ({ cause }: GraphError): boolean =>
  !CONNECT_FAILURE_CODES.has((cause as NodeJS.ErrnoException | undefined)?.code);

/** Decodes a signed transaction. Throws BAD_USER_INPUT for bytes that a node would reject, before any request. */
export function decodeSignedTransaction(bytes: Data): { readonly hash: Data; readonly chainId: bigint } {
  const { hash, from, chainId } = parseTransaction(bytes);
  if (hash && from) return { hash, chainId };
  throw new GraphError('BAD_USER_INPUT', 'The transaction is not signed. Pass a signed transaction.');
}

function parseTransaction(bytes: Data): Pick<Transaction, 'hash' | 'from' | 'chainId'> {
  try {
    // These getters verify the signature.
    const { hash, from, chainId } = Transaction.from(bytes);
    return { hash, from, chainId };
  } catch (cause) {
    const message = 'Invalid transaction. Pass RLP, or a type byte from 1 to 4 and RLP, with a canonical signature.';
    throw new GraphError('BAD_USER_INPUT', message, { cause });
  }
}

/**
 * Submits a signed transaction once, without retries. Its hash is calculated from the bytes. Rejects with TX_STATUS_UNKNOWN when the node
 * may have accepted it. Source: `eth_sendRawTransaction`, whose result may be the zero hash and is ignored.
 */
export async function submitTransaction({ node, session, calls, operation: { signal } }: Snapshot, bytes: Data) {
  const { hash, chainId } = decodeSignedTransaction(bytes);
  const served = await node.chainId(signal);
  // A legacy transaction without replay protection names no chain, and the node may have no chain id.
  if (chainId !== 0n && served !== null && chainId !== BigInt(served)) {
    const message = `The transaction is signed for chain ${chainId}. Sign it for chain ${BigInt(served)}, which the node serves.`;
    throw new GraphError('BAD_USER_INPUT', message, { hash });
  }
  signal.throwIfAborted();
  const outcome = await session.sendOnce({ method: sendRaw.name, params: sendRaw.params(bytes) }, signal);
  const sent: SubmittedTransaction = { hash, alreadyKnown: false };
  if (!('error' in outcome)) return sent;
  const { error, rpcError, unsent } = outcome;
  if (rpcError && isAlreadyKnown(rpcError)) return { hash, alreadyKnown: true };
  if (CODES_AFTER_MINING.has(error.code) && (await findAgain(calls, hash))) return { hash, alreadyKnown: true };
  const { method, rpcCode, retryAfterMs } = error.extensions as ErrorDetail;
  const call = { ...(method !== undefined && { method }), ...(rpcCode !== undefined && { rpcCode }) };
  const detail = { hash, ...call, ...(retryAfterMs !== undefined && { retryAfterMs }), cause: error };
  if (unsent || !INDETERMINATE_CODES.has(error.code) || !mayHaveBeenSent(error))
    throw new GraphError(error.code, error.message, detail);
  // A negative result proves nothing: the transaction may be in transit, or another backend may respond.
  if (!signal.aborted && (await findAgain(calls, hash))) return sent;
  const message = `${error.message} The node may have accepted the transaction. Look it up by its hash before you send it again.`;
  throw new GraphError('TX_STATUS_UNKNOWN', message, detail);
}
