import { asObject, data, invalidShape, quantity, type RawObject, word } from './decoders.ts';
import { isKnownType } from './encoding/transaction.ts';
import { HASH_OF_NOTHING } from './header-checks.ts';
import { type Data, toData } from './hex.ts';
import { readTraceObject } from './revert-error.ts';
import type { MinedTransaction } from './traces.ts';

type Accounts = Readonly<Record<string, RawObject>>;

/** The accounts that a transaction changed, in the form of `prestateTracer`: values before it, and changed values after it. */
export interface RawStateDiff {
  readonly pre: Accounts;
  readonly post: Accounts;
}

/** The changes of an account; null for a value that did not change. */
export type AccountDiff = ReturnType<typeof toAccountDiff>;

const NO_WORD = `0x${'0'.repeat(64)}`;
/** The values of an account that does not exist. */
const NO_ACCOUNT: RawObject = { balance: '0x0', nonce: '0x0', code: '0x' };

const objectOf = (value: unknown): RawObject => asObject(value ?? {}, 'a state diff');
const accountsOf = (value: unknown): Accounts =>
  Object.fromEntries(Object.entries(objectOf(value)).map(([address, account]) => [address.toLowerCase(), objectOf(account)]));

/**
 * Reads the result of `prestateTracer` with `diffMode`. Throws METHOD_NOT_SUPPORTED for a node that ignores the tracer, and UPSTREAM_BAD_RESPONSE if the
 * nonce of the sender does not fit.
 */
export function readPrestateDiff(value: unknown, { from, nonce, type }: MinedTransaction): RawStateDiff {
  const trace = readTraceObject(value);
  const [pre, post] = [accountsOf(trace.pre), accountsOf(trace.post)];
  const sender = from?.toLowerCase();
  const isOwn = () => toAccountDiff(from!, pre[sender!], post[sender!]).nonceBefore === quantity(nonce);
  if (nonce !== undefined && isKnownType(type) && !isOwn()) throw invalidShape('the state diff of the requested transaction');
  return { pre, post };
}

/** Some nodes omit a code that an authorisation cleared (EIP-7702), and send only its hash. */
const withCode = (post: RawObject): RawObject => (post.codeHash === HASH_OF_NOTHING ? { code: '0x', ...post } : post);

/** An account without `post` was deleted, one without `pre` created. */
function toAccountDiff(address: Data, pre: RawObject = NO_ACCOUNT, changed: RawObject = NO_ACCOUNT) {
  const post = withCode(changed);
  const change = (name: string, decode: (value: unknown) => string): readonly [string | null, string | null] => {
    const before = decode(pre[name] ?? NO_ACCOUNT[name]);
    const after = decode(post[name] ?? before);
    return before === after ? [null, null] : [before, after];
  };
  const [balanceBefore, balanceAfter] = change('balance', quantity);
  const [nonceBefore, nonceAfter] = change('nonce', quantity);
  const [codeBefore, codeAfter] = change('code', data);
  const [slotsBefore, slotsAfter] = [objectOf(pre.storage), objectOf(post.storage)];
  // Nodes omit a slot where it is zero.
  const storage = Object.keys({ ...slotsBefore, ...slotsAfter })
    .sort()
    .map((slot) => ({ slot: word(slot), before: word(slotsBefore[slot] ?? NO_WORD), after: word(slotsAfter[slot] ?? NO_WORD) }))
    .filter(({ before, after }) => before !== after);
  return { address, balanceBefore, balanceAfter, nonceBefore, nonceAfter, codeBefore, codeAfter, storage };
}

/** Lists the accounts that a transaction changed, by address. */
export function* accountDiffs({ pre, post }: RawStateDiff): Generator<void, readonly AccountDiff[]> {
  const diffs: AccountDiff[] = [];
  for (const address of Object.keys({ ...pre, ...post }).sort()) {
    if (toData(address, 20) === undefined) throw invalidShape('a state diff by address');
    const diff = toAccountDiff(address, pre[address], post[address]);
    const { balanceAfter, nonceAfter, codeAfter, storage } = diff;
    if (balanceAfter ?? nonceAfter ?? codeAfter ?? storage[0]) diffs.push(diff);
    yield;
  }
  return diffs;
}
