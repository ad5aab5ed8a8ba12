import { Transaction, type TransactionLike, Wallet } from 'ethers';
import type { RunningGraph } from '../../support/graph/running-graph.ts';

/** Hashes, addresses and transactions of the chain, for arguments. */
export interface ChainData {
  readonly height: number;
  readonly blocks: readonly string[];
  readonly transactions: readonly string[];
  readonly addresses: readonly string[];
  readonly topics: readonly string[];
  readonly duels: readonly string[];
  /** Signed transactions; a node rejects most of them. */
  readonly signed: readonly string[];
}

/** Reads the data of the embedded chain, which is the same in every run. */
export async function readChainData(graph: RunningGraph): Promise<ChainData> {
  const { accounts, contracts, landmarks } = (await (await fetch(`${graph.url}/devnet.json`)).json()) as any;
  const blocks = [];
  for (let number = 0; number <= landmarks.lastBlock; number += 1) {
    const query = 'query ($number: Long!) { block(number: $number) { hash transactionHashes logs(filter: {}) { topics } } }';
    const { data } = await graph.execute(query, { number });
    blocks.push(data.block);
  }
  const { data: tournament } = await graph.execute('{ duels { nodes { id } } }');
  const addresses: string[] = [...accounts, ...contracts].map(({ address }) => address.toLowerCase());
  return {
    height: landmarks.lastBlock,
    blocks: blocks.map(({ hash }) => hash),
    transactions: blocks.flatMap(({ transactionHashes }) => transactionHashes),
    addresses,
    topics: [...new Set<string>(blocks.flatMap(({ logs }) => logs.flatMap((log) => log.topics)))],
    duels: tournament.duels.nodes.map(({ id }: { id: string }) => id),
    signed: await signatures(accounts, addresses[0]!),
  };
}

const TRANSACTION_VARIANTS: readonly TransactionLike[] = [
  {},
  { nonce: 0 },
  { nonce: 9_999 },
  { chainId: 1 },
  { gasLimit: 1 },
  { gasLimit: 2n ** 63n },
  { maxFeePerGas: 1n, maxPriorityFeePerGas: 0n },
  { value: 2n ** 255n },
  { data: `0x${'00'.repeat(4_000)}` },
  { type: 0, gasPrice: 10n ** 10n, maxFeePerGas: null, maxPriorityFeePerGas: null },
];

/** Signs valid transactions, transactions that a node rejects for each reason, and truncated ones. */
async function signatures(accounts: readonly { privateKey: string }[], to: string): Promise<string[]> {
  const plain = { chainId: 31337, type: 2, to, value: 1n, gasLimit: 100_000, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n };
  const whole = await Promise.all(
    accounts.flatMap(({ privateKey }) =>
      TRANSACTION_VARIANTS.map(async (changes, nonce) => {
        const unsigned = Transaction.from({ ...plain, nonce, ...changes } as TransactionLike);
        return new Wallet(privateKey).signTransaction(unsigned);
      }),
    ),
  );
  return [...whole, ...whole.slice(0, 20).map((one, at) => one.slice(0, 2 + 2 * at))];
}
