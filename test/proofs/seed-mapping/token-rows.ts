import type { SeedFacts } from './facts.ts';
import { pluck, quantityOfWord, type SeedRow } from './rows.ts';

const TOKEN = 'token(address: $token)';
const BALANCE = ['account(address: $owner)', 'tokenBalance(contract: $token)'];
const ALLOWANCE = 'tokenAllowance(contract: $token, owner: $owner, spender: $spender)';

const metadata = ({ service, variables }: SeedFacts) => service('svc_getTokenMetadata', variables.token);

const allowance = ({ service, variables: { token, owner, spender } }: SeedFacts) =>
  service<string>('svc_getTokenAllowance', { contract: token, owner, spender });

const balances = async ({ service, variables: { owner, tokens } }: SeedFacts) =>
  (await service('svc_getTokenBalances', owner, tokens)).tokenBalances;

const balance = async (facts: SeedFacts) => (await balances(facts))[0];

const metadataRow = (name: string): SeedRow => [`Token.${name}`, [TOKEN, name], async (facts) => (await metadata(facts))[name]];

const allowanceRow = (coordinate: string, ...path: string[]): SeedRow => [coordinate, [...path, 'value'], allowance];

/** Tokens, by the enhanced methods of the node service. */
export const tokenRows: readonly SeedRow[] = [
  allowanceRow('Query.tokenAllowance', ALLOWANCE),
  allowanceRow('Query.tokenAllowance(contract:)', ALLOWANCE),
  allowanceRow('Query.tokenAllowance(owner:)', ALLOWANCE),
  allowanceRow('Query.tokenAllowance(spender:)', ALLOWANCE),
  allowanceRow('TokenAmount.value', ALLOWANCE),
  allowanceRow('Account.tokenAllowance', 'account(address: $owner)', 'tokenAllowance(contract: $token, spender: $spender)'),
  allowanceRow('Token.allowance', TOKEN, 'allowance(owner: $owner, spender: $spender)'),
  [
    'Account.tokenBalances',
    ['account(address: $owner)', 'tokenBalances(contracts: $tokens)', 'tokenBalance'],
    async (facts) => pluck('tokenBalance', await balances(facts)),
  ],
  ['Account.tokenBalance', [...BALANCE, 'tokenBalance'], async (facts) => (await balance(facts)).tokenBalance],
  ['Token.balanceOf', [TOKEN, 'balanceOf(owner: $owner)', 'tokenBalance'], async (facts) => (await balance(facts)).tokenBalance],
  ['TokenBalance.owner', [...BALANCE, 'owner', 'address'], ({ variables }) => variables.owner],
  ['TokenBalance.contractAddress', [...BALANCE, 'contractAddress'], async (facts) => (await balance(facts)).contractAddress],
  ['TokenBalance.tokenBalance', [...BALANCE, 'tokenBalance'], async (facts) => (await balance(facts)).tokenBalance],
  ['TokenBalance.balance', [...BALANCE, 'balance', 'raw'], async (facts) => quantityOfWord((await balance(facts)).tokenBalance)],
  ['TokenBalance.error', [...BALANCE, 'error'], async (facts) => (await balance(facts)).error],
  ['Query.token', [TOKEN, 'name'], async (facts) => (await metadata(facts)).name],
  ['Query.tokens', ['tokens(addresses: [$token])', 'symbol'], async (facts) => [(await metadata(facts)).symbol]],
  ['Account.token', ['account(address: $token)', 'token', 'symbol'], async (facts) => (await metadata(facts)).symbol],
  ...['name', 'symbol', 'decimals', 'logo'].map(metadataRow),
];
