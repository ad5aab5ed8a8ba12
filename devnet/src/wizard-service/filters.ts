import { BadRequestError } from './http-error.ts';
import type { ServedDuel, ServedWizard } from './served-entities.ts';
import type { TournamentSnapshot } from './tournament-index.ts';

/** Parses a parameter. The error states what is accepted and never repeats the input, which may be a secret. */
type ParameterParser<Value> = (text: string) => Value;

const matchPattern = (pattern: RegExp, expected: string) => (text: string) => {
  if (!pattern.test(text)) throw new BadRequestError(`want ${expected}`);
  return text;
};

/** Parses a wizard id: a decimal integer without leading zeros, with at most 78 digits. */
export const parseWizardId: ParameterParser<string> = matchPattern(/^(?:0|[1-9]\d{0,77})$/, 'a wizard id, a decimal integer');
const hash = matchPattern(/^0x[0-9a-f]{64}$/i, 'a duel id, 0x and 64 hex digits');
export const parseDuelId: ParameterParser<string> = (text) => hash(text).toLowerCase();

const address = matchPattern(/^0x[0-9a-f]{40}$/i, 'an address, 0x and 40 hex digits');
const affinity = matchPattern(/^[0-4]$/, 'an affinity, 0 to 4');
const digits = matchPattern(/^\d+$/, 'a decimal integer');
const integer: ParameterParser<bigint> = (text) => BigInt(digits(text));
const booleanText = matchPattern(/^(?:true|false)$/, 'true or false');
const boolean: ParameterParser<boolean> = (text) => booleanText(text) === 'true';
const wizardIds: ParameterParser<ReadonlySet<string>> = (text) => new Set(text.split(',').map(parseWizardId));

/** Predicates of the parameters of the wizards list. */
const wizardFilters = {
  owner: (text: string) => {
    const owner = address(text).toLowerCase();
    return (wizard: ServedWizard) => wizard.owner.toLowerCase() === owner;
  },
  affinity: (text: string) => {
    const expected = Number(affinity(text));
    return (wizard: ServedWizard) => wizard.affinity === expected;
  },
  minPower: (text: string) => {
    const min = integer(text);
    return (wizard: ServedWizard) => BigInt(wizard.power) >= min;
  },
  maxPower: (text: string) => {
    const max = integer(text);
    return (wizard: ServedWizard) => BigInt(wizard.power) <= max;
  },
};

/** Predicates of the parameters of the duels list. A duel in progress is outside any range of end blocks. */
const duelFilters = {
  wizardIds: (text: string) => {
    const ids = wizardIds(text);
    return (duel: ServedDuel) => ids.has(duel.wizard1Id) || ids.has(duel.wizard2Id);
  },
  excludeInProgress: (text: string) => {
    const excluded = boolean(text);
    return (duel: ServedDuel) => !excluded || duel.endBlock !== null;
  },
  excludeFinished: (text: string) => {
    const excluded = boolean(text);
    return (duel: ServedDuel) => !excluded || duel.endBlock === null;
  },
  startBlockFrom: (text: string) => {
    const min = integer(text);
    return (duel: ServedDuel) => duel.startBlock >= min;
  },
  startBlockTo: (text: string) => {
    const max = integer(text);
    return (duel: ServedDuel) => duel.startBlock <= max;
  },
  endBlockFrom: (text: string) => {
    const min = integer(text);
    return (duel: ServedDuel) => duel.endBlock !== null && duel.endBlock >= min;
  },
  endBlockTo: (text: string) => {
    const max = integer(text);
    return (duel: ServedDuel) => duel.endBlock !== null && duel.endBlock <= max;
  },
};

/** Names of the earlier revision, by the current name. */
const LEGACY_FILTER_NAMES: Readonly<Record<string, string>> = {
  startBlockFrom: 'startsAfter',
  startBlockTo: 'startsBefore',
  endBlockFrom: 'endsAfter',
  endBlockTo: 'endsBefore',
};

/** Combines the predicates of a request's parameters. Empty values and unknown parameters are ignored. */
function parseFilters<Entity>(
  filters: Readonly<Record<string, ParameterParser<(entity: Entity) => boolean>>>,
  parameters: URLSearchParams,
  usesLegacyNames: boolean,
): (entity: Entity) => boolean {
  const tests = Object.entries(filters).flatMap(([current, read]) => {
    const name = (usesLegacyNames && LEGACY_FILTER_NAMES[current]) || current;
    const [text = '', ...more] = parameters.getAll(name);
    if (more.length > 0) throw new BadRequestError(`${name}: want it once`);
    if (text === '') return [];
    try {
      return [read(text)];
    } catch (error) {
      throw error instanceof BadRequestError ? new BadRequestError(`${name}: ${error.message}`) : error;
    }
  });
  return (entity) => tests.every((passes) => passes(entity));
}

/** Matching wizards in ascending order of ids. Ids have no leading zeros, so the longer id is larger. */
export const filterWizards = (
  { wizards }: TournamentSnapshot,
  parameters: URLSearchParams,
  usesLegacyNames: boolean,
): ServedWizard[] =>
  [...wizards.values()]
    .filter(parseFilters<ServedWizard>(wizardFilters, parameters, usesLegacyNames))
    .sort((a, b) => a.id.length - b.id.length || compare(a.id, b.id));

/** Matching duels in ascending order of start block, then id. */
export const filterDuels = ({ duels }: TournamentSnapshot, parameters: URLSearchParams, usesLegacyNames: boolean): ServedDuel[] =>
  [...duels.values()]
    .filter(parseFilters<ServedDuel>(duelFilters, parameters, usesLegacyNames))
    .sort((a, b) => a.startBlock - b.startBlock || compare(a.id, b.id));

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b));
