import { devnet } from './devnet.ts';
import { readGraph } from './graph.ts';
import { recentBlock } from './recent-block.ts';
import { signedTransaction } from './signed-transaction.ts';

/** Number of blocks in the ranges of examples. */
const RANGE = 20;
/** Number of token contracts in lists of examples. */
const MAX_TOKENS = 3;

const DUEL =
  'query PlaygroundDuel { duels(first: 1, orderBy: START_BLOCK_DESC, filter: { excludeInProgress: true }) { nodes { id } } }';

interface Duels {
  readonly duels: { readonly nodes: readonly ({ readonly id: string } | null)[] } | null;
}

const firstTransaction = async () => (await recentBlock())?.transactions.find(({ status }) => status !== '0x0');
const tokens = async () => (await devnet())?.contracts.map(({ address }) => address) ?? (await recentBlock())?.tokens;

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
  otherAccount: async () => (await devnet())?.accounts[1]?.address ?? (await firstTransaction())?.to?.address,
  token: async () => (await tokens())?.[0],
  async tokens() {
    const all = await tokens();
    return all && all.length > 0 ? all.slice(0, MAX_TOKENS) : undefined;
  },
  duel: async () => (await readGraph<Duels>(DUEL))?.duels?.nodes[0]?.id,
  signed: signedTransaction,
};

/** The values of these variables in the running chain. A variable without a value is left out, and has the default value of its example. */
export async function variableValues(names: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
  const entries = await Promise.all(names.map(async (name) => [name, await SOURCES[name]?.()] as const));
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
