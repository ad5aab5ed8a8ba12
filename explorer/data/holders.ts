type Balance = { readonly formatted: string | null; readonly value: string };
type Party = {
  readonly address: string;
  readonly label: string | null;
  readonly tokenBalance: { readonly balance: Balance | null } | null;
};

type Transfer = { readonly amount: string; readonly from: Party; readonly to: Party };

/** The address that mints and burns. */
const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;

/** The accounts that a transfer has moved tokens from or to and that have a balance, the largest first. */
export const holdersOf = (transfers: readonly Transfer[]): Party[] => {
  const parties = transfers.filter(({ amount }) => BigInt(amount) > 0n).flatMap(({ from, to }) => [from, to]);
  const accounts = new Map(parties.map((account) => [account.address, account]));
  const balanceOf = ({ tokenBalance }: Party) => BigInt(tokenBalance?.balance?.value ?? 0);
  return [...accounts.values()]
    .filter((account) => account.address !== ZERO_ADDRESS && balanceOf(account) > 0n)
    .sort((a, b) => (balanceOf(a) < balanceOf(b) ? 1 : -1));
};
