import { isNullish } from '../../../ethereum/block-results.ts';
import { definedProperties, toRpcCallObject } from '../../../ethereum/call-object.ts';
import type { Data } from '../../../ethereum/hex.ts';
import type { RpcAccountOverride, RpcBlockStateCalls } from '../../../ethereum/simulation.ts';
import type { AccountOverride, BlockOverrides, QuerySimulateArgs, StorageValueInput } from '../../../generated/chain.ts';
import { GraphError } from '../../../lib/errors.ts';
import { checkCallFees } from '../log/criteria.ts';

const invalid = (message: string) => new GraphError('BAD_USER_INPUT', message);

/** Converts a list to an object by key. Throws BAD_USER_INPUT with the position of an entry whose key occurs before it. */
function byKey<T, V>(entries: readonly T[], path: string, keyOf: (entry: T) => Data, toValue: (entry: T, path: string) => V) {
  const values = new Map<Data, V>();
  entries.forEach((entry, i) => {
    const key = keyOf(entry);
    if (values.has(key)) throw invalid(`\`${path}[${i}]\` repeats ${key}. Pass each address and each slot once in a list.`);
    values.set(key, toValue(entry, `${path}[${i}]`));
  });
  return Object.fromEntries(values);
}

const toStorage = (values: readonly StorageValueInput[], path: string) =>
  byKey(
    values,
    path,
    ({ slot }) => slot,
    ({ value }) => value,
  );

function toAccountOverride({ balance, nonce, code, state, stateDiff, movePrecompileTo }: AccountOverride, path: string) {
  if (state && stateDiff) throw invalid(`\`${path}\` has \`state\` and \`stateDiff\`. Pass one of them.`);
  return definedProperties({
    balance,
    nonce,
    code,
    state: state && toStorage(state, `${path}.state`),
    stateDiff: stateDiff && toStorage(stateDiff, `${path}.stateDiff`),
    movePrecompileToAddress: movePrecompileTo,
  }) satisfies RpcAccountOverride;
}

const toBlockOverrides = ({ timestamp, parentBeaconBlockRoot, withdrawals, ...overrides }: BlockOverrides) =>
  definedProperties({
    ...overrides,
    time: timestamp,
    beaconRoot: parentBeaconBlockRoot,
    withdrawals: withdrawals?.map(({ validator, ...withdrawal }) => ({ ...withdrawal, validatorIndex: validator })),
  });

/** The least gas of a call. A block with calls and a lower limit fails on each node; anvil 1.7 exits at a limit of 0 or 1. */
const MIN_CALL_GAS = 21_000n;

/** Converts the arguments of a simulation to the blocks of `eth_simulateV1`. Throws BAD_USER_INPUT. */
export function toBlockStateCalls({ calls, blocks }: Pick<QuerySimulateArgs, 'calls' | 'blocks'>): readonly RpcBlockStateCalls[] {
  if (isNullish(calls) === isNullish(blocks)) throw invalid('Pass either `calls` or `blocks`, and not both.');
  if ((calls ?? blocks)!.length === 0) throw invalid(`The list \`${calls ? 'calls' : 'blocks'}\` is empty. Pass at least one.`);
  return (blocks ?? [{ calls }]).map((block, i) => {
    block.calls?.forEach(checkCallFees);
    const { gasLimit } = block.blockOverrides ?? {};
    if (block.calls?.length && !isNullish(gasLimit) && BigInt(gasLimit) < MIN_CALL_GAS)
      throw invalid(`\`blocks[${i}].blockOverrides.gasLimit\` is below ${MIN_CALL_GAS}, the least gas of a call.`);
    return definedProperties({
      blockOverrides: block.blockOverrides && toBlockOverrides(block.blockOverrides),
      stateOverrides:
        block.stateOverrides &&
        byKey(block.stateOverrides, `blocks[${i}].stateOverrides`, ({ address }) => address, toAccountOverride),
      calls: block.calls?.map(toRpcCallObject),
    });
  });
}
