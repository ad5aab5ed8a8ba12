import { GraphError } from '../../errors.ts';
import { type Quantity, toData, toQuantity } from '../../ethereum/hex.ts';
import type { Affinity } from '../../generated/wizards.ts';
import { forEachInSlices } from './array-slices.ts';
import { badResponse, type Duel, Malformed, type Power, type Told, type Wizard } from './model.ts';

/**
 * What the service sends, read tolerantly: names of its earlier revision, lists bare or in an object, numbers as texts and texts as numbers.
 * Readers give undefined for what is none of their kind.
 */
type Wire = Readonly<Record<string, unknown>>;
type Reader<T> = (value: unknown) => T | undefined;

/** Affinities by their code. */
export const AFFINITIES: readonly Affinity[] = ['NOTSET', 'NEUTRAL', 'FIRE', 'WIND', 'WATER'];

/** Reckoning with more digits than these would stop the process for noticeable time. */
const POWER = /^[0-9]{1,1000}$/;

const isObject = (value: unknown): value is Wire => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A number of the wire as text; undefined for one that JavaScript has rounded. */
const textIn = (value: unknown): string | undefined => {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : undefined;
  return typeof value === 'string' ? value : undefined;
};

/**
 * What can be asked for as an id; anything else belongs to nothing. Dots alone would be another path, and with a comma it would be two ids in
 * a list of them.
 */
export const ID = /^(?!\.+$)[!-+\--~]{1,200}$/;

const id: Reader<string> = (value) => {
  const text = textIn(value);
  return text !== undefined && ID.test(text) ? text : undefined;
};
const duelId: Reader<string> = (value) => toData(value, 32) ?? id(value);

const power: Reader<Power> = (value) => {
  const text = textIn(value);
  return text !== undefined && POWER.test(text) ? text.replace(/^0+(?=.)/, '') : undefined;
};

const height: Reader<Quantity> = (value) => toQuantity(value, 64);

const truth: Reader<boolean> = (value) => {
  if (typeof value === 'boolean') return value;
  return value === 'true' ? true : value === 'false' ? false : undefined;
};

const moves: Reader<string> = (value) =>
  typeof value === 'string' ? toData(value.startsWith('0x') ? value : `0x${value}`) : undefined;

/** Never fails: a code that is new, or none, is no reason to lose the rest. */
const affinity = (value: unknown): Affinity => AFFINITIES[Number(textIn(value) || Number.NaN)] ?? 'UNKNOWN';

const orNull =
  <T>(reader: Reader<T>): Reader<T | null> =>
  (value) =>
    value === null || value === undefined ? null : reader(value);

/** Names of fields as they are now, and as they were before. */
const BEFORE = {
  initialPower: 'startingPower',
  id: 'duelId',
  wizard1Id: 'wiz1Id',
  wizard2Id: 'wiz2Id',
  startPower1: 'power1',
  startPower2: 'power2',
} as const;

/** A field by its name now, else by the one it had. */
const named = (wire: Wire, name: keyof typeof BEFORE): unknown => (wire[name] === undefined ? wire[BEFORE[name]] : wire[name]);

/** What was read, whole or malformed. The names of the fields are ours. */
function toldAs<T extends object>(what: string, fields: { readonly [K in keyof T]: T[K] | undefined }): Told<T> {
  const wrong = Object.keys(fields).filter((name) => fields[name as keyof T] === undefined);
  if (wrong.length === 0) return fields as T;
  return new Malformed(fields as Partial<T>, `a ${what} that cannot be read: ${wrong.join(', ')}`);
}

/** A wizard of the wire. */
export function wizardIn(value: unknown): Told<Wizard> {
  const wire = isObject(value) ? value : {};
  return toldAs<Wizard>('wizard', {
    id: id(wire.id),
    ownerAddress: toData(wire.owner, 20),
    affinity: affinity(wire.affinity),
    initialPower: power(named(wire, 'initialPower')),
    power: power(wire.power),
    createdBlockNumber: height(wire.createdBlockNumber),
    eliminatedBlockNumber: orNull(height)(wire.eliminatedBlockNumber),
  });
}

/** A duel of the wire. */
export function duelIn(value: unknown): Told<Duel> {
  const wire = isObject(value) ? value : {};
  return toldAs<Duel>('duel', {
    id: duelId(named(wire, 'id')),
    wizard1Id: id(named(wire, 'wizard1Id')),
    wizard2Id: id(named(wire, 'wizard2Id')),
    affinity1: affinity(wire.affinity1),
    affinity2: affinity(wire.affinity2),
    startPower1: orNull(power)(named(wire, 'startPower1')),
    startPower2: orNull(power)(named(wire, 'startPower2')),
    endPower1: orNull(power)(wire.endPower1),
    endPower2: orNull(power)(wire.endPower2),
    moveSet1: orNull(moves)(wire.moveSet1),
    moveSet2: orNull(moves)(wire.moveSet2),
    startBlockNumber: height(wire.startBlock),
    endBlockNumber: orNull(height)(wire.endBlock),
    timeoutBlockNumber: orNull(height)(wire.timeoutBlock),
    timedOut: orNull(truth)(wire.timedOut),
    isAscensionBattle: orNull(truth)(wire.isAscensionBattle),
  });
}

/**
 * More entries than fit into 64 MiB, unless they are no wizards and no duels: what cannot be read takes more memory than it has in the
 * response.
 */
const MAX_ENTRIES = 500_000;

const RENAMED = Object.entries(BEFORE);

/** Number of fields of a response with two names, the present and the earlier one, and different values; 0 for a list that is too long to be read. */
export async function contradictionsIn(body: unknown): Promise<number> {
  const entries = isObject(body) ? (Object.values(body).find(Array.isArray) ?? [body]) : body;
  if (!Array.isArray(entries) || entries.length > MAX_ENTRIES) return 0;
  let found = 0;
  await forEachInSlices(entries, (wire) => {
    if (!isObject(wire)) return;
    for (const [name, before] of RENAMED) {
      if (wire[before] !== undefined && wire[name] !== undefined && wire[name] !== wire[before]) found += 1;
    }
  });
  return found;
}

/** A list of the wire, bare or in an object under its name; each entry once. Rejects with RESULT_TOO_LARGE for more than 500,000 entries. */
export async function listIn<T extends { readonly id: string }>(
  name: string,
  body: unknown,
  read: (value: unknown) => Told<T>,
): Promise<readonly Told<T>[]> {
  const list = isObject(body) ? body[name] : body;
  if (!Array.isArray(list)) throw badResponse(`no list of ${name}`);
  if (list.length > MAX_ENTRIES) {
    const message = `The wizard service sent a list of ${list.length} ${name}. A list may have ${MAX_ENTRIES} entries.`;
    throw new GraphError('RESULT_TOO_LARGE', message, { source: 'wizard', limit: MAX_ENTRIES, actual: list.length });
  }
  const isNew = newIds();
  const told: Told<T>[] = [];
  await forEachInSlices(list, (wire) => {
    const one = read(wire);
    if (isNew(one)) told.push(one);
  });
  return told;
}

/** Each entry once, the first that has its id. */
export const unique = <T extends { readonly id: string }>(told: readonly Told<T>[]): readonly Told<T>[] => told.filter(newIds());

/** True for each entry with an id that it has not seen before, and for what cannot be read. */
function newIds(): (one: Told<{ readonly id: string }>) => boolean {
  const seen = new Set<string>();
  return (one) => {
    if (one instanceof Malformed) return true;
    const isNew = !seen.has(one.id);
    seen.add(one.id);
    return isNew;
  };
}
