import { GraphError } from '../../../errors.ts';
import type { DuelFilter, WizardFilter } from '../../../generated/wizards.ts';
import { MAX_PAGE_SIZE } from '../../../graphql/connections.ts';
import { type Duel, readableFields, type ServiceEntry, type Wizard } from '../model.ts';
import { AFFINITIES } from './decoders.ts';

/** Parameters of a list, in one order, so that equal filters are equal requests. */
export type ServiceQueryParams = Readonly<Record<string, string>>;

type Maybe<T> = T | null | undefined;

const isPresent = <T>(value: Maybe<T>): value is T => value !== null && value !== undefined;

/** Whether a condition holds; one about what is not given, or cannot be read, does. */
const matchesCondition = <A, B>(wanted: Maybe<A>, actual: B | undefined, test: (wanted: A, actual: B) => boolean): boolean =>
  !isPresent(wanted) || actual === undefined || test(wanted, actual);

const isAtLeast = (wanted: string, actual: string): boolean => BigInt(actual) >= BigInt(wanted);
const isAtMost = (wanted: string, actual: string): boolean => BigInt(actual) <= BigInt(wanted);
const isHeightAtLeast = (wanted: string, actual: string | null): boolean => actual !== null && isAtLeast(wanted, actual);
const isHeightAtMost = (wanted: string, actual: string | null): boolean => actual !== null && isAtMost(wanted, actual);

/** What the service is asked with; what it has no parameter for is left to `wizardsMatching`. Throws BAD_USER_INPUT for UNKNOWN. */
export function wizardQueryParams({ owner, affinity, minPower, maxPower }: WizardFilter): ServiceQueryParams {
  const code = affinity ? AFFINITIES.indexOf(affinity) : -1;
  if (affinity === 'UNKNOWN') throw new GraphError('BAD_USER_INPUT', 'Wizards cannot be found by the affinity UNKNOWN.');
  return {
    ...(isPresent(owner) && { owner }),
    ...(code >= 0 && { affinity: String(code) }),
    // No power is below zero, and the service need not know what that means.
    ...(isPresent(minPower) && !minPower.startsWith('-') && { minPower }),
    ...(isPresent(maxPower) && !maxPower.startsWith('-') && { maxPower }),
  };
}

/** The wizards to which a filter applies: a service that reads it otherwise makes no difference. */
export const filterWizards = (wizards: readonly ServiceEntry<Wizard>[], filter: WizardFilter): readonly ServiceEntry<Wizard>[] =>
  wizards.filter((told) => {
    const wizard = readableFields(told);
    return (
      matchesCondition(filter.owner, wizard.ownerAddress, (owner, actual) => owner === actual) &&
      matchesCondition(filter.affinity, wizard.affinity, (affinity, actual) => affinity === actual) &&
      matchesCondition(filter.minPower, wizard.power, isAtLeast) &&
      matchesCondition(filter.maxPower, wizard.power, isAtMost) &&
      matchesCondition(filter.status, wizard.eliminatedBlockNumber, (status, at) => (status === 'ALIVE') === (at === null))
    );
  });

/** A duel filter whose ids are left out; those are asked in pieces. */
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

/** Whether no duel at all can match. */
export const isEmptyDuelFilter = ({ excludeInProgress, excludeFinished }: DuelFilter): boolean =>
  !!excludeInProgress && !!excludeFinished;

/** The ids that an argument names, each once; undefined when it names none. Throws BAD_USER_INPUT for more than 500. */
export function distinctIds(argument: string, ids: Maybe<readonly string[]>): readonly string[] | undefined {
  if (!ids || ids.length === 0) return undefined;
  if (ids.length <= MAX_PAGE_SIZE) return [...new Set(ids)];
  const message = `\`${argument}\` takes at most ${MAX_PAGE_SIZE} ids.`;
  throw new GraphError('BAD_USER_INPUT', message, { limit: MAX_PAGE_SIZE, actual: ids.length });
}

/** The ids that a filter names; as `idsOf`. */
export const distinctWizardIds = ({ wizardIds }: DuelFilter): readonly string[] | undefined =>
  distinctIds('wizardIds', wizardIds);

/** Whether one of these wizards takes part, as far as that can be read. */
const involves = (ids: ReadonlySet<string>, { wizard1Id, wizard2Id }: Partial<Duel>): boolean =>
  [wizard1Id, wizard2Id].some((id) => id === undefined || ids.has(id));

/** The duels to which a filter applies: a service that reads it otherwise makes no difference. */
export function filterDuels(
  duels: readonly ServiceEntry<Duel>[],
  filter: DuelFilter,
  ids: readonly string[] | undefined = distinctWizardIds(filter),
): readonly ServiceEntry<Duel>[] {
  const wanted = ids && new Set(ids);
  return duels.filter((told) => {
    const duel = readableFields(told);
    return (
      (!wanted || involves(wanted, duel)) &&
      matchesCondition(filter.excludeInProgress || null, duel.endBlockNumber, (_is, end) => end !== null) &&
      matchesCondition(filter.excludeFinished || null, duel.endBlockNumber, (_is, end) => end === null) &&
      matchesCondition(filter.startBlockFrom, duel.startBlockNumber, isAtLeast) &&
      matchesCondition(filter.startBlockTo, duel.startBlockNumber, isAtMost) &&
      matchesCondition(filter.endBlockFrom, duel.endBlockNumber, isHeightAtLeast) &&
      matchesCondition(filter.endBlockTo, duel.endBlockNumber, isHeightAtMost)
    );
  });
}
