type Balance = { readonly formatted: string | null; readonly value: string };
type Party = {
  readonly address: string;
  readonly label: string | null;
  readonly tokenBalance: { readonly balance: Balance | null } | null;
};

/** The distinct accounts of the transfers, the largest balance first. */
export const holdersOf = (transfers: readonly { readonly from: Party; readonly to: Party }[]): Party[] => {
  const accounts = new Map(transfers.flatMap(({ from, to }) => [from, to]).map((account) => [account.address, account]));
  const balanceOf = ({ tokenBalance }: Party) => BigInt(tokenBalance?.balance?.value ?? 0);
  return [...accounts.values()].sort((a, b) => (balanceOf(a) < balanceOf(b) ? 1 : -1));
};
