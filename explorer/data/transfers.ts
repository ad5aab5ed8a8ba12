interface Party {
  readonly address: string;
  readonly label?: string | null;
}

/** A movement of ether or of a token in a transaction. */
export interface Transfer {
  readonly key: string;
  readonly from: Party;
  readonly to: Party;
  /** The integer in the unit of the contract; ether as a decimal number. */
  readonly amount: string;
  /** Null for ether. */
  readonly token: { readonly address: string; readonly symbol: string | null; readonly decimals: number | null } | null;
  /** Whether the amount is the id of a token of its own kind (ERC-721). */
  readonly isId: boolean;
}

interface DecodedLog {
  readonly id: string;
  readonly account: {
    readonly address: string;
    readonly label: string | null;
    readonly token?: { readonly address: string; readonly symbol: string | null; readonly decimals: number | null } | null;
  };
  readonly decoded: {
    readonly signature: string;
    readonly arguments: readonly { readonly name: string | null; readonly value: string; readonly account?: Party | null }[];
  } | null;
}

interface TransferSource {
  readonly valueIn: string;
  /** Of the receipt; null while pending. */
  readonly status: string | null;
  readonly from: Party;
  readonly to: Party | null;
  readonly createdContract: Party | null;
  readonly logs: readonly DecodedLog[] | null;
}

const partyOf = ({ value, account }: { readonly value: string; readonly account?: Party | null }): Party =>
  account ?? { address: value };

/** The account of the logs of ether transfers (EIP-7708), which repeat the value of a transaction. */
const ETHER_LOGS = `0x${'f'.repeat(39)}e`;

/** The transfer of an event `Transfer` of ERC-20 or ERC-721; null for any other event. */
export function tokenTransferOf({ id, account, decoded }: DecodedLog): Transfer | null {
  const [sender, recipient, amount] = decoded?.arguments ?? [];
  if (decoded?.signature !== 'Transfer(address,address,uint256)' || !sender || !recipient || !amount) return null;
  if (account.address === ETHER_LOGS) return null;
  const token = account.token ?? { address: account.address, symbol: account.label, decimals: null };
  return { key: id, from: partyOf(sender), to: partyOf(recipient), amount: amount.value, token, isId: amount.name === 'tokenId' };
}

/** The value of a transaction and its token transfers. */
export function transfersOf({ valueIn, status, from, to, createdContract, logs }: TransferSource): Transfer[] {
  const tokens = (logs ?? []).flatMap((log) => tokenTransferOf(log) ?? []);
  const recipient = to ?? createdContract;
  // A transaction that is reverted transfers nothing.
  if (valueIn === '0' || status === '0x0' || !recipient) return tokens;
  return [{ key: 'ether', from, to: recipient, amount: valueIn, token: null, isId: false }, ...tokens];
}
