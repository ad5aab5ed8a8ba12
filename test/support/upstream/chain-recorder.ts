import { Wallet } from 'ethers';
import { createAnvilRpc } from '../../../devnet/src/anvil/rpc.ts';
import type { DevnetDescription } from '../../../devnet/src/description.ts';
import type { RpcReceipt, RpcTransaction } from '../../../src/ethereum/rpc-types.ts';
import type { Present } from '../graph/results.ts';
import type { NodeBlock } from '../graph/rpc.ts';
import type { Barrier } from '../proxies/barrier.ts';

/** A number as JSON-RPC hex. */
export const hex = (n: number): string => `0x${n.toString(16)}`;

/** Everything that the node returned for one block while it was canonical. */
export interface RecordedBlock {
  readonly hash: string;
  readonly height: number;
  /** With full transactions, as `eth_getBlockByHash` returns it. */
  readonly block: NodeBlock<RpcTransaction>;
  readonly receipts: readonly Present<RpcReceipt>[];
  /** By address. */
  readonly accounts: ReadonlyMap<string, { readonly balance: string; readonly transactionCount: string }>;
  readonly parent: RecordedBlock | undefined;
}

/** A chain from its first block to one head. */
export interface RecordedBranch {
  readonly head: RecordedBlock;
  /** The block at a height; undefined above the head. */
  at(height: number): RecordedBlock | undefined;
  has(entry: RecordedBlock): boolean;
  /** The existing blocks of an inclusive range of heights. */
  between(from: number, to: number): readonly RecordedBlock[];
  /** The block of this branch that contains a transaction; undefined if none does. */
  find(transaction: string): RecordedBlock | undefined;
}

const TRANSFER_SELECTOR = '0xa9059cbb';

/** Records the node's chain. From then on only this recorder may change the chain. */
export async function createChainRecorder(
  { endpoints, accounts, contracts, chainId }: DevnetDescription,
  gate: Barrier,
  draw: () => number,
) {
  const rpc = createAnvilRpc(endpoints.http);
  const wallets = accounts.slice(0, 4).map(({ privateKey }) => new Wallet(privateKey));
  const token = contracts[0]!.address;
  const addresses = accounts.slice(0, 4).map(({ address }) => address);
  const entries = new Map<string, RecordedBlock>();
  const list: RecordedBlock[] = [];
  const places = new Map<string, RecordedBlock[]>();
  const signed = new Map<string, { readonly raw: string; readonly sender: number; readonly nonce: number }>();
  const hashes: string[] = [];
  const branches = new Map<string, RecordedBranch>();
  let now: RecordedBlock;

  /** Records new blocks, from the head back to the last recorded one. */
  const write = async () => {
    const latest = await rpc.call<NodeBlock<RpcTransaction>>('eth_getBlockByNumber', 'latest', true);
    const fresh: NodeBlock<RpcTransaction>[] = [];
    for (let block: typeof latest | undefined = latest; block && !entries.has(block.hash); ) {
      fresh.push(block);
      block =
        Number(block.number) === 0
          ? undefined
          : (entries.get(block.parentHash)?.block ?? (await rpc.call('eth_getBlockByHash', block.parentHash, true)));
    }
    for (const block of fresh.reverse()) {
      const at = { blockHash: block.hash };
      const [receipts, ...states] = await rpc.batch<any>([
        ['eth_getBlockReceipts', block.hash],
        ...addresses.flatMap((address): [string, ...unknown[]][] => [
          ['eth_getBalance', address, at],
          ['eth_getTransactionCount', address, at],
        ]),
      ]);
      const state = addresses.map(
        (address, i) => [address, { balance: states[2 * i], transactionCount: states[2 * i + 1] }] as const,
      );
      const parent = entries.get(block.parentHash);
      const entry: RecordedBlock = {
        hash: block.hash,
        height: Number(block.number),
        block,
        receipts,
        accounts: new Map(state),
        parent,
      };
      entries.set(block.hash, entry);
      list.push(entry);
      for (const { hash } of block.transactions) {
        const known = places.get(hash);
        if (known) known.push(entry);
        else {
          places.set(hash, [entry]);
          hashes.push(hash);
        }
      }
    }
    now = entries.get(latest.hash)!;
  };

  const send = async (sender: number, nonce: number) => {
    const isToken = draw() < 0.5;
    const to = addresses[Math.floor(draw() * addresses.length)]!;
    const amount = 1 + Math.floor(draw() * 1_000_000);
    const data = `${TRANSFER_SELECTOR}${to.slice(2).padStart(64, '0')}${amount.toString(16).padStart(64, '0')}`;
    const raw = await wallets[sender]!.signTransaction({
      type: 2,
      chainId,
      nonce,
      ...(isToken ? { to: token, data, gasLimit: 100_000n } : { to, value: BigInt(amount), gasLimit: 21_000n }),
      maxFeePerGas: 10n ** 12n,
      maxPriorityFeePerGas: 10n ** 9n,
    });
    const hash = await rpc.call<string>('eth_sendRawTransaction', raw);
    signed.set(hash, { raw, sender, nonce });
  };

  /** Mines blocks with new transactions, and with some transactions that a reorg has removed. */
  const grow = async (blocks: number, removed: readonly string[]) => {
    const again = removed.flatMap((hash) => signed.get(hash) ?? []).filter(() => draw() < 0.6);
    for (let i = 0; i < blocks; i++) {
      const nonces = await rpc.batch<string>(addresses.map((address) => ['eth_getTransactionCount', address, 'latest']));
      for (let count = Math.floor(draw() * 4); count > 0; count--) {
        const old = again[0] && Number(nonces[again[0].sender]) === again[0].nonce ? again.shift() : undefined;
        const sender = old?.sender ?? Math.floor(draw() * wallets.length);
        const nonce = Number(nonces[sender]);
        if (old) await rpc.call('eth_sendRawTransaction', old.raw);
        else await send(sender, nonce);
        nonces[sender] = hex(nonce + 1);
      }
      await gate.runExclusive(() => rpc.call('evm_mine'));
    }
  };

  const branchTo = (head: RecordedBlock): RecordedBranch => {
    const line: RecordedBlock[] = [];
    for (let entry: RecordedBlock | undefined = head; entry; entry = entry.parent) line[entry.height] = entry;
    return {
      head,
      at: (height) => line[height],
      between: (from, to) => line.slice(from, to + 1),
      has: (entry) => line[entry.height] === entry,
      find: (transaction) => places.get(transaction)?.find((entry) => line[entry.height] === entry),
    };
  };

  await rpc.call('evm_setAutomine', false);
  await write();
  return {
    get head() {
      return now;
    },
    addresses,
    /** Hashes of all transactions that have ever been in a block. */
    transactions: hashes as readonly string[],
    blocks: list as readonly RecordedBlock[],
    branch(head: string): RecordedBranch {
      const known = branches.get(head);
      if (known) return known;
      const made = branchTo(entries.get(head)!);
      branches.set(head, made);
      // Removes the oldest branches: a branch of a long chain is large.
      for (const old of branches.keys()) {
        if (branches.size <= 64) break;
        branches.delete(old);
      }
      return made;
    },
    async mine(blocks: number) {
      await grow(blocks, []);
      await write();
    },
    close: () => rpc.close(),
    /** Replaces blocks by others, which contain some of the replaced transactions. */
    async reorg(depth: number, blocks: number) {
      const removed: string[] = [];
      for (let i = 0, entry: RecordedBlock = now; i < depth; i++, entry = entry.parent!) {
        removed.unshift(...entry.block.transactions.map(({ hash }: { hash: string }) => hash));
      }
      await gate.runExclusive(() => rpc.call('anvil_rollback', depth));
      // In the same second anvil would mine identical empty blocks.
      if (draw() < 0.9) await rpc.call('evm_increaseTime', 1 + Math.floor(draw() * 20));
      await grow(blocks, removed);
      await write();
    },
  };
}

/** A chain that a test moves, recorded block by block from the node. */
export type ChainRecorder = Awaited<ReturnType<typeof createChainRecorder>>;
