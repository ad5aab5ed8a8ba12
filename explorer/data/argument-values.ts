/** What an argument of a decoded call or event means, beside its value. */
export type ArgumentMeaning =
  | { readonly kind: 'wizard' | 'duel' | 'block' }
  | { readonly kind: 'power' }
  /** An amount in the smallest unit of a token. */
  | { readonly kind: 'amount'; readonly decimals: number; readonly symbol: string | null }
  | { readonly kind: 'text'; readonly text: string }
  | null;

export interface ArgumentContext {
  /** Whether the contract is a tournament of wizards. */
  readonly isTournament: boolean;
  /** Of the contract; null if it is no token. */
  readonly token: { readonly symbol: string | null; readonly decimals: number | null } | null | undefined;
  /** Of the call or the event. */
  readonly signature: string;
}

interface NamedArgument {
  readonly name: string | null;
  readonly type: string;
  readonly value: string;
}

/** Names of the arguments of calls that ERC-20 and ERC-721 share, so that the signature alone does not name them. */
const SHARED_CALLS = new Map([
  ['approve(address,uint256)', { erc20: ['spender', 'value'], erc721: ['approved', 'tokenId'] }],
  ['transferFrom(address,address,uint256)', { erc20: ['from', 'to', 'value'], erc721: ['from', 'to', 'tokenId'] }],
]);

/** The name of an argument that the server does not name; null if the contract does not determine it, either. */
export function sharedName(index: number, { isTournament, token, signature }: ArgumentContext): string | null {
  const names = SHARED_CALLS.get(signature);
  return (isTournament ? names?.erc721[index] : token?.decimals == null ? null : names?.erc20[index]) ?? null;
}

/** Codes of the contract: affinities, of which the last three are moves. */
const AFFINITY_CODES = ['not chosen', 'neutral', 'fire', 'wind', 'water'];
const ROUNDS = 5;
/** Approvals from this amount on are without a limit in practice. */
const UNLIMITED = 2n ** 255n;

/** The moves of a move set, one byte each; null before they are revealed. */
function movesOf(value: string): string | null {
  const bytes = value.slice(2, 2 + 2 * ROUNDS).match(/../g) ?? [];
  const moves = bytes.map((byte) => AFFINITY_CODES[Number.parseInt(byte, 16)]);
  return moves.every((move) => move && move !== AFFINITY_CODES[0]) ? moves.join(', ') : null;
}

/** The meaning of an argument by the contract, its name and its type; null for a value that is shown as it is. */
export function meaningOf(
  { name, type, value }: NamedArgument,
  { isTournament, token, signature }: ArgumentContext,
): ArgumentMeaning {
  const key = name ?? '';
  if (isTournament) return tournamentMeaning(key, type, value);
  if (token?.decimals == null || type !== 'uint256' || !/^(value|amount|wad|rawAmount|tokens)$/i.test(key)) return null;
  if (/^(approv|permit|increaseAllowance)/i.test(signature) && BigInt(value) >= UNLIMITED)
    return { kind: 'text', text: `unlimited ${token.symbol ?? ''}`.trim() };
  return { kind: 'amount', decimals: token.decimals, symbol: token.symbol };
}

function tournamentMeaning(name: string, type: string, value: string): ArgumentMeaning {
  if (/^(wizardId[12]?|tokenId)$/.test(name)) return { kind: 'wizard' };
  if (name === 'duelId') return { kind: 'duel' };
  if (name === 'timeoutBlock') return { kind: 'block' };
  if (name === 'duration') return { kind: 'text', text: `${value} blocks` };
  if (type === 'uint256' && /power[12]?$/i.test(name)) return { kind: 'power' };
  const text = /^affinity[12]?$/.test(name) ? AFFINITY_CODES[Number(value)] : /^moveSet/.test(name) ? movesOf(value) : null;
  return text ? { kind: 'text', text } : null;
}
