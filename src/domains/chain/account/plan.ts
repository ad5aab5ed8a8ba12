import { memoizePerSelection, selectionOf } from '../../../graphql/selection.ts';
import type { StateField } from '../model.ts';

const STATE_FIELDS: readonly StateField[] = ['balance', 'transactionCount', 'code'];
/** Fields of an account that follow from a state field. */
const FROM_STATE: Readonly<Record<string, StateField>> = { balanceIn: 'balance', isContract: 'code' };
const STATE_OR_ADDRESS: ReadonlySet<string> = new Set([...STATE_FIELDS, ...Object.keys(FROM_STATE), 'id', 'address', '_at']);

/**
 * The state fields to read before an account is returned. Empty when fields that need other calls are selected too, since these fields would wait
 * for the state.
 */
export const statePlan = memoizePerSelection((info): readonly StateField[] => {
  const selection = selectionOf(info);
  if (!selection.hasOnly(STATE_OR_ADDRESS)) return [];
  const derived = Object.keys(FROM_STATE).filter((field) => selection.has(field));
  return STATE_FIELDS.filter((field) => selection.has(field) || derived.some((name) => FROM_STATE[name] === field));
});
