import { devnet } from './devnet.ts';
import { readGraph } from './graph.ts';
import { recentBlock } from './recent-block.ts';
import { recentTokens } from './recent-tokens.ts';
import { signedTransaction } from './signed-transaction.ts';

/** Number of blocks in the ranges of examples. */
const RANGE = 20;
/** Number of token contracts in lists of examples. */
const MAX_TOKENS = 3;

const DUEL =
  'query PlaygroundDuel { duels(first: 1, orderBy: START_BLOCK_DESC, filter: { excludeInProgress: true }) { nodes { id } } }';

const CHAINS = 'query PlaygroundChains { chains { chainID } }';

interface Chains {
  readonly chains: readonly ({ readonly chainID: string } | null)[];
}

interface Duels {
  readonly duels: { readonly nodes: readonly ({ readonly id: string } | null)[] } | null;
}

const firstTransaction = async () => (await recentBlock())?.transactions.find(({ status }) => status !== '0x0');

/** The value of each variable of the examples, by its name; undefined if the running chain has none. */
const SOURCES: Readonly<Record<string, () => Promise<unknown>>> = {
  block: async () => (await recentBlock())?.number,
  toBlock: async () => (await recentBlock())?.number,
  async fromBlock() {
    const block = await recentBlock();
    return block && Math.max(block.number - RANGE, 0);
  },
  transaction: async () => (await firstTransaction())?.hash,
  async reverted() {
    const inBlock = (await recentBlock())?.transactions;
    const failed = inBlock?.find(({ status }) => status === '0x0')?.hash;
    return failed ?? (await devnet())?.landmarks.revertedTransaction ?? inBlock?.at(-1)?.hash;
  },
  account: async () => (await devnet())?.accounts[0]?.address ?? (await firstTransaction())?.from.address,
  // A recipient may be a contract, which rejects a transfer.
  otherAccount: async () => (await devnet())?.accounts[1]?.address ?? (await recentBlock())?.transactions.at(-1)?.from.address,
  token: async () => (await recentTokens())?.[0],
  tokens: async () => (await recentTokens())?.slice(0, MAX_TOKENS),
  duel: async () => (await readGraph<Duels>(DUEL))?.duels?.nodes[0]?.id,
  // The default chain is the first one.
  chainId: async () => (await readGraph<Chains>(CHAINS))?.chains.at(-1)?.chainID,
  signed: signedTransaction,
};

/** The values of these variables in the running chain. A variable without a value is left out, and has the default value of its example. */
export async function variableValues(names: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
  const entries = await Promise.all(names.map(async (name) => [name, await SOURCES[name]?.()] as const));
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
