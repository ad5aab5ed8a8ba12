import { GraphError } from '../../errors.ts';
import type { DuelFilter, WizardFilter } from '../../generated/wizards.ts';
import { MOST_PAGE } from '../../graphql/connections.ts';
import { type Duel, readable, type Told, type Wizard } from './model.ts';
import { AFFINITIES } from './service-decoders.ts';

/** Parameters of a list, in one order, so that equal filters are equal requests. */
export type Params = Readonly<Record<string, string>>;

type Maybe<T> = T | null | undefined;

const isGiven = <T>(value: Maybe<T>): value is T => value !== null && value !== undefined;

/** Whether a condition holds; one about what is not given, or cannot be read, does. */
const holds = <A, B>(wanted: Maybe<A>, actual: B | undefined, test: (wanted: A, actual: B) => boolean): boolean =>
  !isGiven(wanted) || actual === undefined || test(wanted, actual);

const least = (wanted: string, actual: string): boolean => BigInt(actual) >= BigInt(wanted);
const most = (wanted: string, actual: string): boolean => BigInt(actual) <= BigInt(wanted);
const leastAt = (wanted: string, actual: string | null): boolean => actual !== null && least(wanted, actual);
const mostAt = (wanted: string, actual: string | null): boolean => actual !== null && most(wanted, actual);

/** What the service is asked with; what it has no parameter for is left to `wizardsMatching`. Throws BAD_USER_INPUT for UNKNOWN. */
export function wizardParams({ owner, affinity, minPower, maxPower }: WizardFilter): Params {
  const code = affinity ? AFFINITIES.indexOf(affinity) : -1;
  if (affinity === 'UNKNOWN') throw new GraphError('BAD_USER_INPUT', 'Wizards cannot be found by the affinity UNKNOWN.');
  return {
    ...(isGiven(owner) && { owner }),
    ...(code >= 0 && { affinity: String(code) }),
    // No power is below zero, and the service need not know what that means.
    ...(isGiven(minPower) && !minPower.startsWith('-') && { minPower }),
    ...(isGiven(maxPower) && !maxPower.startsWith('-') && { maxPower }),
  };
}

/** The wizards to which a filter applies: a service that reads it otherwise makes no difference. */
export const wizardsMatching = (wizards: readonly Told<Wizard>[], filter: WizardFilter): readonly Told<Wizard>[] =>
  wizards.filter((told) => {
    const wizard = readable(told);
    return (
      holds(filter.owner, wizard.ownerAddress, (owner, actual) => owner === actual) &&
      holds(filter.affinity, wizard.affinity, (affinity, actual) => affinity === actual) &&
      holds(filter.minPower, wizard.power, least) &&
      holds(filter.maxPower, wizard.power, most) &&
      holds(filter.status, wizard.eliminatedBlockNumber, (status, at) => (status === 'ALIVE') === (at === null))
    );
  });

/** A duel filter whose ids are left out; those are asked in pieces. */
export function duelParams(filter: DuelFilter): Params {
  const heights = (['startBlockFrom', 'startBlockTo', 'endBlockFrom', 'endBlockTo'] as const).flatMap((name) => {
    const height = filter[name];
    return isGiven(height) ? [[name, BigInt(height).toString()] as const] : [];
  });
  return {
    ...(filter.excludeInProgress && { excludeInProgress: 'true' }),
    ...(filter.excludeFinished && { excludeFinished: 'true' }),
    ...Object.fromEntries(heights),
  };
}

/** Whether no duel at all can match. */
export const isEmpty = ({ excludeInProgress, excludeFinished }: DuelFilter): boolean => !!excludeInProgress && !!excludeFinished;

/** The ids that an argument names, each once; undefined when it names none. Throws BAD_USER_INPUT for more than 500. */
export function idsOf(argument: string, ids: Maybe<readonly string[]>): readonly string[] | undefined {
  if (!ids || ids.length === 0) return undefined;
  if (ids.length <= MOST_PAGE) return [...new Set(ids)];
  const message = `\`${argument}\` takes at most ${MOST_PAGE} ids.`;
  throw new GraphError('BAD_USER_INPUT', message, { limit: MOST_PAGE, actual: ids.length });
}

/** The ids that a filter names; as `idsOf`. */
export const idsIn = ({ wizardIds }: DuelFilter): readonly string[] | undefined => idsOf('wizardIds', wizardIds);

/** Whether one of these wizards takes part, as far as that can be read. */
const involves = (ids: ReadonlySet<string>, { wizard1Id, wizard2Id }: Partial<Duel>): boolean =>
  [wizard1Id, wizard2Id].some((id) => id === undefined || ids.has(id));

/** The duels to which a filter applies: a service that reads it otherwise makes no difference. */
export function duelsMatching(
  duels: readonly Told<Duel>[],
  filter: DuelFilter,
  ids: readonly string[] | undefined = idsIn(filter),
): readonly Told<Duel>[] {
  const wanted = ids && new Set(ids);
  return duels.filter((told) => {
    const duel = readable(told);
    return (
      (!wanted || involves(wanted, duel)) &&
      holds(filter.excludeInProgress || null, duel.endBlockNumber, (_is, end) => end !== null) &&
      holds(filter.excludeFinished || null, duel.endBlockNumber, (_is, end) => end === null) &&
      holds(filter.startBlockFrom, duel.startBlockNumber, least) &&
      holds(filter.startBlockTo, duel.startBlockNumber, most) &&
      holds(filter.endBlockFrom, duel.endBlockNumber, leastAt) &&
      holds(filter.endBlockTo, duel.endBlockNumber, mostAt)
    );
  });
}
