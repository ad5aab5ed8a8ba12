import { createHash } from 'node:crypto';
import { compareIntegers } from '../../../ethereum/hex.ts';
import type { DuelFilter, WizardFilter, WizardStatus } from '../../../generated/wizards.ts';
import { MAX_PAGE_SIZE } from '../../../graphql/connections.ts';
import { GraphError } from '../../../lib/errors.ts';
import { memoizePerObject } from '../../../lib/memoize.ts';
import { filterYielding, type OperationBudget } from '../../../lib/operation-budget.ts';
import { type Duel, readableFields, type ServiceEntry, type Wizard } from '../model.ts';
import { AFFINITIES, ID_PATTERN } from './decoders.ts';

/** Query parameters of a list, in a fixed order so that equal filters have equal paths. */
export type ServiceQueryParams = Readonly<Record<string, string>>;

type Maybe<T> = T | null | undefined;

const isPresent = <T>(value: Maybe<T>): value is T => value !== null && value !== undefined;

/** Whether an entry of a list passes a filter. */
export type EntryMatcher<T> = (entry: ServiceEntry<T>) => boolean;

/** Whether a condition holds. True if the filter does not set it (`expected` is null) or the field is unreadable (`actual` is undefined). */
const matchesCondition = <A, B>(expected: Maybe<A>, actual: B | undefined, test: (expected: A, actual: B) => boolean): boolean =>
  !isPresent(expected) || actual === undefined || test(expected, actual);

const setsNoCondition = (filter: WizardFilter | DuelFilter): boolean =>
  Object.values(filter).every((value) => !isPresent(value) || value === false);

// Powers and heights are never negative; a bound of a power can be.
const isAtLeast = (min: string, actual: string | null): boolean =>
  actual !== null && (min.startsWith('-') || compareIntegers(actual, min) >= 0);
const isAtMost = (max: string, actual: string | null): boolean =>
  actual !== null && !max.startsWith('-') && compareIntegers(actual, max) <= 0;

const hasStatus = (status: WizardStatus, eliminatedBlockNumber: string | null): boolean =>
  (status === 'ALIVE') === (eliminatedBlockNumber === null);

/**
 * Query parameters of a wizard filter. Conditions without a parameter are applied by `wizardMatcher`. Throws BAD_USER_INPUT for the
 * affinity UNKNOWN.
 */
export function wizardQueryParams({ owner, affinity, minPower, maxPower }: WizardFilter): ServiceQueryParams {
  const code = affinity ? AFFINITIES.indexOf(affinity) : -1;
  if (affinity === 'UNKNOWN') {
    const message = 'Wizards cannot be filtered by the affinity UNKNOWN. Pass one of the other affinities.';
    throw new GraphError('BAD_USER_INPUT', message);
  }
  return {
    ...(isPresent(owner) && { owner }),
    ...(code >= 0 && { affinity: String(code) }),
    // Powers are never negative; services may reject a negative parameter.
    ...(isPresent(minPower) && !minPower.startsWith('-') && { minPower }),
    ...(isPresent(maxPower) && !maxPower.startsWith('-') && { maxPower }),
  };
}

/** The matcher of a wizard filter, for every response, whether or not the service applied the filter; undefined if it matches all wizards. */
export function wizardMatcher(filter: WizardFilter): EntryMatcher<Wizard> | undefined {
  if (setsNoCondition(filter)) return undefined;
  return (entry) => {
    const wizard = readableFields(entry);
    return (
      matchesCondition(filter.owner, wizard.ownerAddress, (owner, actual) => owner === actual) &&
      matchesCondition(filter.affinity, wizard.affinity, (affinity, actual) => affinity === actual) &&
      matchesCondition(filter.minPower, wizard.power, isAtLeast) &&
      matchesCondition(filter.maxPower, wizard.power, isAtMost) &&
      matchesCondition(filter.status, wizard.eliminatedBlockNumber, hasStatus)
    );
  };
}

/** Query parameters of a duel filter, without `wizardIds`. */
export function duelQueryParams(filter: DuelFilter): ServiceQueryParams {
  const heights = (['startBlockFrom', 'startBlockTo', 'endBlockFrom', 'endBlockTo'] as const).flatMap((name) => {
    const height = filter[name];
    return isPresent(height) ? [[name, BigInt(height).toString()] as const] : [];
  });
  return {
    ...(filter.excludeInProgress && { excludeInProgress: 'true' }),
    ...(filter.excludeFinished && { excludeFinished: 'true' }),
    ...Object.fromEntries(heights),
  };
}

/** Whether no duel can match the filter. */
export const isEmptyDuelFilter = ({ excludeInProgress, excludeFinished }: DuelFilter): boolean =>
  !!excludeInProgress && !!excludeFinished;

/** The ids of an argument; undefined if it is null or empty. Throws BAD_USER_INPUT for more than 500 ids. */
export function limitedIds(argument: string, ids: Maybe<readonly string[]>): readonly string[] | undefined {
  if (!ids || ids.length === 0) return undefined;
  if (ids.length <= MAX_PAGE_SIZE) return ids;
  const message = `\`${argument}\` takes at most ${MAX_PAGE_SIZE} ids.`;
  throw new GraphError('BAD_USER_INPUT', message, { limit: MAX_PAGE_SIZE, actual: ids.length });
}

/** All objects of a page share the ids of a filter, which can be long: their derived values are computed once. */
const idSetOf = memoizePerObject((ids: readonly string[]): ReadonlySet<string> => new Set(ids));
const possibleIdsOf = memoizePerObject((ids: readonly string[]) => [...idSetOf(ids)].filter((id) => ID_PATTERN.test(id)));
const idsKeyOf = memoizePerObject((ids: readonly string[]) => createHash('sha256').update(JSON.stringify(ids)).digest('base64'));

/** A short key of a duel filter. Several loaders ask for it, for each object of a page. */
export const duelFilterKey = memoizePerObject((filter: DuelFilter): string =>
  JSON.stringify([duelQueryParams(filter), filter.wizardIds?.length ? idsKeyOf(filter.wizardIds) : null]),
);

/** A short key of the duels of a wizard that match a filter. */
export const duelsOfWizardKey = ({ id, filter }: { readonly id: string; readonly filter: DuelFilter }): string =>
  `${id} ${duelFilterKey(filter)}`;

/** The distinct wizard ids of a duel filter, without ids that no wizard can have; undefined and errors as in `limitedIds`. */
export const distinctWizardIds = ({ wizardIds }: DuelFilter): readonly string[] | undefined =>
  limitedIds('wizardIds', wizardIds) && possibleIdsOf(wizardIds!);

/** Whether one of these wizards, except `self`, takes part. True if the id of a participant is unreadable. */
const involves = (ids: ReadonlySet<string>, { wizard1Id, wizard2Id }: Partial<Duel>, self: string | undefined): boolean =>
  [wizard1Id, wizard2Id].some((id) => id === undefined || (id !== self && ids.has(id)));

/**
 * The matcher of a duel filter, for every response, whether or not the service applied the filter; undefined if it matches all duels. In the
 * duels of the wizard `self`, the ids select its opponents.
 */
export function duelMatcher(filter: DuelFilter, ids = distinctWizardIds(filter), self?: string): EntryMatcher<Duel> | undefined {
  if (!ids && setsNoCondition(filter)) return undefined;
  // If no duel can match, also reject entries whose end height or participants are unreadable.
  if (isEmptyDuelFilter(filter) || ids?.length === 0) return () => false;
  const idSet = ids && idSetOf(ids);
  return (entry) => {
    const duel = readableFields(entry);
    return (
      (!idSet || involves(idSet, duel, self)) &&
      matchesCondition(filter.excludeInProgress || null, duel.endBlockNumber, (_isSet, end) => end !== null) &&
      matchesCondition(filter.excludeFinished || null, duel.endBlockNumber, (_isSet, end) => end === null) &&
      matchesCondition(filter.startBlockFrom, duel.startBlockNumber, isAtLeast) &&
      matchesCondition(filter.startBlockTo, duel.startBlockNumber, isAtMost) &&
      matchesCondition(filter.endBlockFrom, duel.endBlockNumber, isAtLeast) &&
      matchesCondition(filter.endBlockTo, duel.endBlockNumber, isAtMost)
    );
  };
}

/** The entries of a list that match; the list itself without a matcher, so that its indexes stay shared. */
export const matchingEntries = async <T>(
  list: readonly ServiceEntry<T>[],
  matches: EntryMatcher<T> | undefined,
  budget: OperationBudget | undefined,
): Promise<readonly ServiceEntry<T>[]> => (matches ? filterYielding(list, budget, matches) : list);
