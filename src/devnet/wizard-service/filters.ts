import { BadRequestError } from './http-error.ts';
import type { ServedDuel, ServedWizard, TournamentSnapshot } from './tournament-index.ts';

/** Reads one parameter's text. Throws what it wants instead, and never repeats what it was given: that might be somebody's secret. */
type ParameterParser<Value> = (text: string) => Value;

const matchPattern = (pattern: RegExp, wanted: string) => (text: string) => {
  if (!pattern.test(text)) throw new BadRequestError(`want ${wanted}`);
  return text;
};

/** A wizard's id: a decimal integer without zeros before it, of at most as many digits as the contract's. */
export const parseWizardId: ParameterParser<string> = matchPattern(/^(?:0|[1-9]\d{0,77})$/, 'a wizard id, a decimal integer');
const hash = matchPattern(/^0x[0-9a-f]{64}$/i, 'a duel id, 0x and 64 hex digits');
export const parseDuelId: ParameterParser<string> = (text) => hash(text).toLowerCase();

const address = matchPattern(/^0x[0-9a-f]{40}$/i, 'an address, 0x and 40 hex digits');
const affinity = matchPattern(/^[0-4]$/, 'an affinity, 0 to 4');
const digits = matchPattern(/^\d+$/, 'a decimal integer');
const integer: ParameterParser<bigint> = (text) => BigInt(digits(text));
const truth = matchPattern(/^(?:true|false)$/, 'true or false');
const boolean: ParameterParser<boolean> = (text) => truth(text) === 'true';
const wizardIds: ParameterParser<ReadonlySet<string>> = (text) => new Set(text.split(',').map(parseWizardId));

/** What each parameter of the wizards list lets through. */
const wizardFilters = {
  owner: (text: string) => {
    const owner = address(text).toLowerCase();
    return (wizard: ServedWizard) => wizard.owner.toLowerCase() === owner;
  },
  affinity: (text: string) => {
    const wanted = Number(affinity(text));
    return (wizard: ServedWizard) => wizard.affinity === wanted;
  },
  minPower: (text: string) => {
    const least = integer(text);
    return (wizard: ServedWizard) => BigInt(wizard.power) >= least;
  },
  maxPower: (text: string) => {
    const most = integer(text);
    return (wizard: ServedWizard) => BigInt(wizard.power) <= most;
  },
};

/** The same for the duels list. A duel in progress has no end block, so it is outside of any range of them. */
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
    const least = integer(text);
    return (duel: ServedDuel) => duel.startBlock >= least;
  },
  startBlockTo: (text: string) => {
    const most = integer(text);
    return (duel: ServedDuel) => duel.startBlock <= most;
  },
  endBlockFrom: (text: string) => {
    const least = integer(text);
    return (duel: ServedDuel) => duel.endBlock !== null && duel.endBlock >= least;
  },
  endBlockTo: (text: string) => {
    const most = integer(text);
    return (duel: ServedDuel) => duel.endBlock !== null && duel.endBlock <= most;
  },
};

/** The earlier revision's spelling of some filters, by the current one. */
const LEGACY_FILTER_NAMES: Readonly<Record<string, string>> = {
  startBlockFrom: 'startsAfter',
  startBlockTo: 'startsBefore',
  endBlockFrom: 'endsAfter',
  endBlockTo: 'endsBefore',
};

/** What a request's parameters let through, all of them together. An empty value is none, and unknown parameters are ignored. */
function parseFilters<Entity>(
  filters: Readonly<Record<string, ParameterParser<(entity: Entity) => boolean>>>,
  parameters: URLSearchParams,
  earlier: boolean,
): (entity: Entity) => boolean {
  const tests = Object.entries(filters).flatMap(([current, read]) => {
    const name = (earlier && LEGACY_FILTER_NAMES[current]) || current;
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

/** Ascending by id. Decimal integers without zeros before them: the longer one is larger. */
export const filterWizards = ({ wizards }: TournamentSnapshot, parameters: URLSearchParams, earlier: boolean): ServedWizard[] =>
  [...wizards.values()]
    .filter(parseFilters<ServedWizard>(wizardFilters, parameters, earlier))
    .sort((a, b) => a.id.length - b.id.length || compare(a.id, b.id));

/** Ascending by start block, then by id. */
export const filterDuels = ({ duels }: TournamentSnapshot, parameters: URLSearchParams, earlier: boolean): ServedDuel[] =>
  [...duels.values()]
    .filter(parseFilters<ServedDuel>(duelFilters, parameters, earlier))
    .sort((a, b) => a.startBlock - b.startBlock || compare(a.id, b.id));

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b));
