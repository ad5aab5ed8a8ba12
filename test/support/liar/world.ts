import { developmentAccounts } from '../../../devnet/src/world/accounts.ts';
import { encodeHeader, encodeWithdrawal } from '../../../src/ethereum/encoding/block.ts';
import { keccakOfDigits } from '../../../src/ethereum/encoding/keccak.ts';
import { listRoot } from '../../../src/ethereum/encoding/list-root.ts';
import { rlpList } from '../../../src/ethereum/encoding/rlp.ts';
import { postJson } from '../clients/post-json.ts';
import { finished } from '../ethereum/finished.ts';
import { type EmitterChain, startEmitterChain } from '../upstream/emitter-chain.ts';
import { addressOf } from '../upstream/rpc-fixtures.ts';
import type { Call } from './node.ts';

export type Reply = { readonly result: any } | { readonly error: object };
export type Respond = (call: Call) => Promise<Reply>;

/** Addresses that send the transactions of the chain. */
export const SENDERS: readonly string[] = developmentAccounts().map(({ address }) => address);

/** Has 5 and 42 in its first two storage slots, and writes the first word of its input to the first slot. */
const STORAGE_CODE = '0x6005600055602a600155666000356000550060005260076019f3';

/** Reads a result; undefined if the node returns an error. */
export const readFrom = async (respond: Respond, method: string, ...params: unknown[]): Promise<any> =>
  ((await respond({ method, params })) as { result?: unknown }).result;

export const hashOfHeader = (header: object): string => keccakOfDigits(encodeHeader(header)!);

const word = (n: number): string => n.toString(16).padStart(64, '0');
const GAS = '0x30d40';

/** A chain whose blocks have logs with equal blooms, transactions of several types, a failed one, and writes of a storage slot. */
export async function startLiarChain() {
  const chain = await startEmitterChain();
  const [deployer, ...others] = SENDERS as [string, ...string[]];
  const hash = await chain.rpc('eth_sendTransaction', { from: deployer, data: STORAGE_CODE, gas: GAS });
  await chain.mine();
  const storageContract: string = (await chain.rpc('eth_getTransactionReceipt', hash)).contractAddress;
  const send = (transaction: object): Promise<string> => chain.rpc('eth_sendTransaction', { gas: GAS, ...transaction });
  let mined = 0;
  return {
    ...chain,
    storageContract,
    /** Mines a block with seven transactions; returns its hash. */
    async mineBlock(): Promise<string> {
      const id = ++mined;
      const [a, b, c, d, e, f] = others as [string, string, string, string, string, string];
      // The third log has the bits of the first log. The logs of the second transaction have the bits of the first two logs.
      const [out, transfer] = [
        ['WizardEliminated', id],
        ['Transfer', a, b, id],
      ] as const;
      await send(chain.emitTransaction([out, ['WizardPowerChanged', id, 5], out, transfer]));
      await send({ ...chain.emitTransaction([out, transfer, ['WizardPowerChanged', id, 6]]), from: a });
      await send({ from: b, to: c, value: '0xde0b6b3a7640000', data: '0xcafe' });
      await send({ from: c, to: storageContract, data: `0x${word(id)}` });
      await send({ from: d, to: e, value: '0x1', gasPrice: '0x77359400' });
      const accessList = [{ address: storageContract, storageKeys: [`0x${word(0)}`] }];
      await send({ from: e, to: d, value: '0x2', gasPrice: '0x77359400', accessList });
      await send({ from: f, to: chain.contract, data: '0x' });
      await chain.rpc('evm_mine');
      return (await chain.head()).hash;
    },
  };
}

export type LiarChain = Awaited<ReturnType<typeof startLiarChain>>;

/** Forwards each call to a chain. */
export const respondFrom =
  ({ url }: Pick<EmitterChain, 'url'>): Respond =>
  async ({ method, params }) =>
    (await (await postJson(url, { jsonrpc: '2.0', id: 1, method, params })).json()) as Reply;

/**
 * Responds as a chain that no longer changes, from a cache. Adds what anvil cannot produce to its last block: an ommer and withdrawals, to
 * which the header commits. The last block therefore has another hash.
 */
export async function respondWithSealedHead(chain: LiarChain): Promise<Respond> {
  const forward = respondFrom(chain);
  const head = await chain.rpc('eth_getBlockByNumber', 'latest', false);
  const parent = await chain.rpc('eth_getBlockByHash', head.parentHash, false);
  const ommerHeader = { ...parent, extraData: '0x0e', transactions: undefined };
  const ommer = { ...ommerHeader, hash: hashOfHeader(ommerHeader) };
  const withdrawals = [1, 2].map((n) => ({ index: `0x${n}`, validatorIndex: '0x7', address: addressOf(n), amount: `0x${n}00` }));
  const changes = {
    uncles: [ommer.hash],
    sha3Uncles: keccakOfDigits(rlpList([encodeHeader(ommer)!])),
    withdrawals,
    withdrawalsRoot: finished(listRoot(withdrawals.map((one) => encodeWithdrawal(one)!))),
  };
  const hash = hashOfHeader({ ...head, ...changes });
  const replies = new Map<string, Promise<Reply>>();
  const read = async (method: string, params: string): Promise<Reply> => {
    if (method.startsWith('eth_getUncleBy'))
      return { result: params.includes(hash) || params.includes(head.number) ? ommer : null };
    const reply = await forward({ method, params: JSON.parse(params.replaceAll(hash, head.hash)) });
    const own = JSON.parse(JSON.stringify(reply).replaceAll(head.hash, hash));
    if (method.startsWith('eth_getUncleCount') && (params.includes(hash) || params.includes(head.number))) own.result = '0x1';
    if (own.result?.hash === hash) Object.assign(own.result, changes);
    return own;
  };
  return ({ method, params }) => {
    const key = `${method} ${JSON.stringify(params)}`;
    const known = replies.get(key) ?? read(method, JSON.stringify(params));
    replies.set(key, known);
    return known;
  };
}
