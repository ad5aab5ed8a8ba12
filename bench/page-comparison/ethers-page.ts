import {
  type Block,
  Contract,
  decodeBytes32String,
  formatEther,
  formatUnits,
  Interface,
  isError,
  JsonRpcProvider,
  type Log,
  type TransactionReceipt,
} from 'ethers';
import type { Page, PageTransfer } from './page.ts';

const ERC20 = new Interface([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
]);
const TRANSFER = ERC20.getEvent('Transfer')!.topicHash;

interface Token {
  readonly symbol: string;
  readonly decimals: bigint;
}

const isTransfer = ({ topics }: Log): boolean => topics[0] === TRANSFER && topics.length === 3;

/** Reads a value for each distinct key. */
async function readEach<T>(keys: readonly string[], read: (key: string) => Promise<T>): Promise<Map<string, T>> {
  const distinct = [...new Set(keys)];
  const values = await Promise.all(distinct.map(read));
  return new Map(distinct.map((key, i) => [key, values[i]!]));
}

/** Null for a contract without these methods. Some older tokens return the symbol as bytes32. */
async function readToken(provider: JsonRpcProvider, address: string): Promise<Token | null> {
  const contract = new Contract(address, ERC20, provider);
  const readSymbol = async (): Promise<string> => {
    try {
      return await contract.symbol!();
    } catch (error) {
      if (!isError(error, 'BAD_DATA')) throw error;
      return decodeBytes32String(error.value);
    }
  };
  try {
    const [symbol, decimals] = await Promise.all([readSymbol(), contract.decimals!()]);
    return { symbol, decimals };
  } catch (error) {
    if (isError(error, 'CALL_EXCEPTION')) return null;
    throw error;
  }
}

function describeTransfer(log: Log, tokens: ReadonlyMap<string, Token | null>): PageTransfer[] {
  const token = tokens.get(log.address);
  if (!token) return [];
  const { from, to, value } = ERC20.parseLog(log)!.args;
  const amount = formatUnits(value, token.decimals);
  return [{ symbol: token.symbol, amount, from: from.toLowerCase(), to: to.toLowerCase() }];
}

const isoTime = ({ timestamp }: Block): string => new Date(timestamp * 1000).toISOString();

export async function loadPage(url: string, address: string): Promise<Page> {
  const provider = new JsonRpcProvider(url, 31337, { staticNetwork: true });
  const head = await provider.getBlockNumber();
  const [balance, ...found] = await Promise.all([
    provider.getBalance(address, head),
    ...Array.from({ length: 10 }, (_, i) => provider.getBlock(head - 9 + i, true)),
  ]);
  const blocks = found.map((block) => block!);
  const transactions = blocks.flatMap((block) => block.prefetchedTransactions);
  const [balances, receipts] = await Promise.all([
    readEach(
      transactions.map(({ from }) => from),
      (sender) => provider.getBalance(sender, head),
    ),
    readEach(
      transactions.map(({ hash }) => hash),
      (hash) => provider.getTransactionReceipt(hash) as Promise<TransactionReceipt>,
    ),
  ]);
  const transfersOf = (hash: string): Log[] => receipts.get(hash)!.logs.filter(isTransfer);
  const tokens = await readEach(
    transactions.flatMap(({ hash }) => transfersOf(hash).map((log) => log.address)),
    (token) => readToken(provider, token),
  );
  provider.destroy();
  return {
    balance: formatEther(balance),
    blocks: blocks.map((block) => ({
      number: block.number,
      time: isoTime(block),
      transactions: block.prefetchedTransactions.map(({ hash, from }) => ({
        hash,
        succeeded: receipts.get(hash)!.status === 1,
        sender: from.toLowerCase(),
        balance: formatEther(balances.get(from)!),
        transfers: transfersOf(hash).flatMap((log) => describeTransfer(log, tokens)),
      })),
    })),
  };
}
