import { Transaction } from 'ethers';
import { type ErrorDetail, GraphError } from '../../../errors.ts';
import type { Data } from '../../../ethereum/hex.ts';
import type { RpcNode } from '../../../upstream/rpc/node.ts';
import type { ResultReader } from '../../../upstream/rpc/rpc-call.ts';
import { isAlreadyKnown } from '../../../upstream/rpc/rpc-errors.ts';
import type { RpcSession } from '../../../upstream/rpc/session.ts';
import { sendRaw, transactionBy } from '../rpc-methods.ts';

/** After these the node may have the transaction all the same. */
const INDETERMINATE_CODES: ReadonlySet<string> = new Set([
  'TIMEOUT',
  'SHUTTING_DOWN',
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_BAD_RESPONSE',
  'UPSTREAM_INTERNAL',
  'INTERNAL_SERVER_ERROR',
]);

/** Network failures before a byte was sent. */
const CONNECT_FAILURE_CODES: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

const mayHaveBeenSent = ({ cause }: GraphError): boolean =>
  !(cause instanceof Error && 'code' in cause && CONNECT_FAILURE_CODES.has(cause.code));

/** Decodes a signed transaction, or says what is wrong with it before any node is bothered. */
export function decodeSignedTransaction(bytes: Data): { readonly hash: Data; readonly chainId: bigint } {
  const { hash, from, chainId } = parseTransaction(bytes);
  if (hash === null || from === null) throw new GraphError('BAD_USER_INPUT', 'The transaction is not signed.');
  return { hash, chainId };
}

function parseTransaction(bytes: Data): Pick<Transaction, 'hash' | 'from' | 'chainId'> {
  try {
    const { hash, from, chainId } = Transaction.from(bytes);
    return { hash, from, chainId };
  } catch (cause) {
    const message =
      'These bytes are not a signed transaction: RLP, or a type byte from 1 to 4 and RLP, with a canonical signature.';
    throw new GraphError('BAD_USER_INPUT', message, { cause });
  }
}

/**
 * Submits a signed transaction and gives its hash, reckoned from the bytes. Never sends twice by itself.
 * Source: `eth_sendRawTransaction`; a node may answer with the zero hash when it has none yet.
 */
export async function submitTransaction(node: RpcNode, session: RpcSession, bytes: Data, signal: AbortSignal): Promise<Data> {
  const { hash, chainId } = decodeSignedTransaction(bytes);
  const served = BigInt(await node.chainId(signal));
  // A legacy transaction without replay protection names no chain.
  if (chainId !== 0n && chainId !== served) {
    throw new GraphError('BAD_USER_INPUT', `The transaction is signed for chain ${chainId}; this node serves chain ${served}.`, {
      hash,
    });
  }
  signal.throwIfAborted();
  const outcome = await session.sendOnce({ method: sendRaw.name, params: sendRaw.params(bytes) }, signal);
  if (!('error' in outcome)) return hash;
  const { error, rpcError, unsent } = outcome;
  if (rpcError && isAlreadyKnown(rpcError)) return hash;
  if (error.code === 'NONCE_TOO_LOW' && (await isTransactionKnown(session, hash, signal))) return hash;
  const { method, rpcCode, retryAfterMs } = error.extensions as ErrorDetail;
  const told = { ...(method !== undefined && { method }), ...(rpcCode !== undefined && { rpcCode }) };
  const detail = { hash, ...told, ...(retryAfterMs !== undefined && { retryAfterMs }), cause: error };
  if (unsent || !INDETERMINATE_CODES.has(error.code) || !mayHaveBeenSent(error))
    throw new GraphError(error.code, error.message, detail);
  // That it is not there proves nothing: it may be on its way, or another one may be asked.
  if (!signal.aborted && (await isTransactionKnown(session, hash, signal))) return hash;
  const message = `${error.message} It may have the transaction all the same: look for it by its hash before sending again.`;
  throw new GraphError('TX_STATUS_UNKNOWN', message, detail);
}

/** Whether the node has the transaction: a nonce may be used up by this very one, and an answer lost to which it was taken. */
async function isTransactionKnown(session: RpcSession, hash: Data, signal: AbortSignal): Promise<boolean> {
  const [outcome] = await session.send(
    [{ method: transactionBy.name, params: [hash], reader: transactionBy as ResultReader, args: [hash] }],
    signal,
  );
  return outcome !== undefined && 'result' in outcome && outcome.result !== null;
}
