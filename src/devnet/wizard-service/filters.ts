import { BadRequest } from './http-error.ts';
import type { Duel, Tournament, Wizard } from './state.ts';

/** Reads one parameter's text. Throws what it wants instead, and never repeats what it was given: that might be somebody's secret. */
type Reader<Value> = (text: string) => Value;

const matching = (pattern: RegExp, wanted: string) => (text: string) => {
  if (!pattern.test(text)) throw new BadRequest(`want ${wanted}`);
  return text;
};

/** A wizard's id: a decimal integer without zeros before it, of at most as many digits as the contract's. */
export const wizardId: Reader<string> = matching(/^(?:0|[1-9]\d{0,77})$/, 'a wizard id, a decimal integer');
const hash = matching(/^0x[0-9a-f]{64}$/i, 'a duel id, 0x and 64 hex digits');
export const duelId: Reader<string> = (text) => hash(text).toLowerCase();

const address = matching(/^0x[0-9a-f]{40}$/i, 'an address, 0x and 40 hex digits');
const affinity = matching(/^[0-4]$/, 'an affinity, 0 to 4');
const digits = matching(/^\d+$/, 'a decimal integer');
const integer: Reader<bigint> = (text) => BigInt(digits(text));
const truth = matching(/^(?:true|false)$/, 'true or false');
const boolean: Reader<boolean> = (text) => truth(text) === 'true';
const wizardIds: Reader<ReadonlySet<string>> = (text) => new Set(text.split(',').map(wizardId));

/** What each parameter of the wizards list lets through. */
const wizardFilters = {
  owner: (text: string) => {
    const owner = address(text).toLowerCase();
    return (wizard: Wizard) => wizard.owner.toLowerCase() === owner;
  },
  affinity: (text: string) => {
    const wanted = Number(affinity(text));
    return (wizard: Wizard) => wizard.affinity === wanted;
  },
  minPower: (text: string) => {
    const least = integer(text);
    return (wizard: Wizard) => BigInt(wizard.power) >= least;
  },
  maxPower: (text: string) => {
    const most = integer(text);
    return (wizard: Wizard) => BigInt(wizard.power) <= most;
  },
};

/** The same for the duels list. A duel in progress has no end block, so it is outside of any range of them. */
const duelFilters = {
  wizardIds: (text: string) => {
    const ids = wizardIds(text);
    return (duel: Duel) => ids.has(duel.wizard1Id) || ids.has(duel.wizard2Id);
  },
  excludeInProgress: (text: string) => {
    const excluded = boolean(text);
    return (duel: Duel) => !excluded || duel.endBlock !== null;
  },
  excludeFinished: (text: string) => {
    const excluded = boolean(text);
    return (duel: Duel) => !excluded || duel.endBlock === null;
  },
  startBlockFrom: (text: string) => {
    const least = integer(text);
    return (duel: Duel) => duel.startBlock >= least;
  },
  startBlockTo: (text: string) => {
    const most = integer(text);
    return (duel: Duel) => duel.startBlock <= most;
  },
  endBlockFrom: (text: string) => {
    const least = integer(text);
    return (duel: Duel) => duel.endBlock !== null && duel.endBlock >= least;
  },
  endBlockTo: (text: string) => {
    const most = integer(text);
    return (duel: Duel) => duel.endBlock !== null && duel.endBlock <= most;
  },
};

/** The earlier revision's spelling of some filters, by the current one. */
const EARLIER: Readonly<Record<string, string>> = {
  startBlockFrom: 'startsAfter',
  startBlockTo: 'startsBefore',
  endBlockFrom: 'endsAfter',
  endBlockTo: 'endsBefore',
};

/** What a request's parameters let through, all of them together. An empty value is none, and unknown parameters are ignored. */
function allOf<Entity>(
  filters: Readonly<Record<string, Reader<(entity: Entity) => boolean>>>,
  parameters: URLSearchParams,
  earlier: boolean,
): (entity: Entity) => boolean {
  const tests = Object.entries(filters).flatMap(([current, read]) => {
    const name = (earlier && EARLIER[current]) || current;
    const [text = '', ...more] = parameters.getAll(name);
    if (more.length > 0) throw new BadRequest(`${name}: want it once`);
    if (text === '') return [];
    try {
      return [read(text)];
    } catch (error) {
      throw error instanceof BadRequest ? new BadRequest(`${name}: ${error.message}`) : error;
    }
  });
  return (entity) => tests.every((passes) => passes(entity));
}

/** Ascending by id. Decimal integers without zeros before them: the longer one is larger. */
export const wizardsBy = ({ wizards }: Tournament, parameters: URLSearchParams, earlier: boolean): Wizard[] =>
  [...wizards.values()]
    .filter(allOf<Wizard>(wizardFilters, parameters, earlier))
    .sort((a, b) => a.id.length - b.id.length || compare(a.id, b.id));

/** Ascending by start block, then by id. */
export const duelsBy = ({ duels }: Tournament, parameters: URLSearchParams, earlier: boolean): Duel[] =>
  [...duels.values()]
    .filter(allOf<Duel>(duelFilters, parameters, earlier))
    .sort((a, b) => a.startBlock - b.startBlock || compare(a.id, b.id));

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b));
