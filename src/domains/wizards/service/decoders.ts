import { GraphError } from '../../../errors.ts';
import { type Quantity, toData, toQuantity } from '../../../ethereum/hex.ts';
import type { Affinity } from '../../../generated/wizards.ts';
import { type Duel, InvalidEntry, invalidServiceResponse, type Power, type ServiceEntry, type Wizard } from '../model.ts';
import { forEachInSlices } from './array-slices.ts';

/**
 * What the service sends, read tolerantly: names of its earlier revision, lists bare or in an object, numbers as texts and texts as numbers.
 * Readers give undefined for what is none of their kind.
 */
type WireObject = Readonly<Record<string, unknown>>;
type FieldDecoder<T> = (value: unknown) => T | undefined;

/** Affinities by their code. */
export const AFFINITIES: readonly Affinity[] = ['NOTSET', 'NEUTRAL', 'FIRE', 'WIND', 'WATER'];

/** Reckoning with more digits than these would stop the process for noticeable time. */
const POWER_PATTERN = /^[0-9]{1,1000}$/;

const isObject = (value: unknown): value is WireObject => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A number of the wire as text; undefined for one that JavaScript has rounded. */
const toText = (value: unknown): string | undefined => {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : undefined;
  return typeof value === 'string' ? value : undefined;
};

/**
 * What can be asked for as an id; anything else belongs to nothing. Dots alone would be another path, and with a comma it would be two ids in
 * a list of them.
 */
export const ID_PATTERN = /^(?!\.+$)[!-+\--~]{1,200}$/;

const id: FieldDecoder<string> = (value) => {
  const text = toText(value);
  return text !== undefined && ID_PATTERN.test(text) ? text : undefined;
};
const duelId: FieldDecoder<string> = (value) => toData(value, 32) ?? id(value);

const power: FieldDecoder<Power> = (value) => {
  const text = toText(value);
  return text !== undefined && POWER_PATTERN.test(text) ? text.replace(/^0+(?=.)/, '') : undefined;
};

const height: FieldDecoder<Quantity> = (value) => toQuantity(value, 64);

const boolean: FieldDecoder<boolean> = (value) => {
  if (typeof value === 'boolean') return value;
  return value === 'true' ? true : value === 'false' ? false : undefined;
};

const moves: FieldDecoder<string> = (value) =>
  typeof value === 'string' ? toData(value.startsWith('0x') ? value : `0x${value}`) : undefined;

/** Never fails: a code that is new, or none, is no reason to lose the rest. */
const affinity = (value: unknown): Affinity => AFFINITIES[Number(toText(value) || Number.NaN)] ?? 'UNKNOWN';

const orNull =
  <T>(reader: FieldDecoder<T>): FieldDecoder<T | null> =>
  (value) =>
    value === null || value === undefined ? null : reader(value);

/** Names of fields as they are now, and as they were before. */
const LEGACY_FIELD_NAMES = {
  initialPower: 'startingPower',
  id: 'duelId',
  wizard1Id: 'wiz1Id',
  wizard2Id: 'wiz2Id',
  startPower1: 'power1',
  startPower2: 'power2',
} as const;

/** A field by its name now, else by the one it had. */
const fieldOf = (wire: WireObject, name: keyof typeof LEGACY_FIELD_NAMES): unknown =>
  wire[name] === undefined ? wire[LEGACY_FIELD_NAMES[name]] : wire[name];

/** What was read, whole or malformed. The names of the fields are ours. */
function toServiceEntry<T extends object>(what: string, fields: { readonly [K in keyof T]: T[K] | undefined }): ServiceEntry<T> {
  const wrong = Object.keys(fields).filter((name) => fields[name as keyof T] === undefined);
  if (wrong.length === 0) return fields as T;
  return new InvalidEntry(fields as Partial<T>, `a ${what} that cannot be read: ${wrong.join(', ')}`);
}

/** A wizard of the wire. */
export function decodeWizard(value: unknown): ServiceEntry<Wizard> {
  const wire = isObject(value) ? value : {};
  return toServiceEntry<Wizard>('wizard', {
    id: id(wire.id),
    ownerAddress: toData(wire.owner, 20),
    affinity: affinity(wire.affinity),
    initialPower: power(fieldOf(wire, 'initialPower')),
    power: power(wire.power),
    createdBlockNumber: height(wire.createdBlockNumber),
    eliminatedBlockNumber: orNull(height)(wire.eliminatedBlockNumber),
  });
}

/** A duel of the wire. */
export function decodeDuel(value: unknown): ServiceEntry<Duel> {
  const wire = isObject(value) ? value : {};
  return toServiceEntry<Duel>('duel', {
    id: duelId(fieldOf(wire, 'id')),
    wizard1Id: id(fieldOf(wire, 'wizard1Id')),
    wizard2Id: id(fieldOf(wire, 'wizard2Id')),
    affinity1: affinity(wire.affinity1),
    affinity2: affinity(wire.affinity2),
    startPower1: orNull(power)(fieldOf(wire, 'startPower1')),
    startPower2: orNull(power)(fieldOf(wire, 'startPower2')),
    endPower1: orNull(power)(wire.endPower1),
    endPower2: orNull(power)(wire.endPower2),
    moveSet1: orNull(moves)(wire.moveSet1),
    moveSet2: orNull(moves)(wire.moveSet2),
    startBlockNumber: height(wire.startBlock),
    endBlockNumber: orNull(height)(wire.endBlock),
    timeoutBlockNumber: orNull(height)(wire.timeoutBlock),
    timedOut: orNull(boolean)(wire.timedOut),
    isAscensionBattle: orNull(boolean)(wire.isAscensionBattle),
  });
}

/**
 * More entries than fit into 64 MiB, unless they are no wizards and no duels: what cannot be read takes more memory than it has in the
 * response.
 */
const MAX_ENTRIES = 500_000;

const RENAMED_FIELDS = Object.entries(LEGACY_FIELD_NAMES);

/** Number of fields of a response with two names, the present and the earlier one, and different values; 0 for a list that is too long to be read. */
export async function countFieldConflicts(body: unknown): Promise<number> {
  const entries = isObject(body) ? (Object.values(body).find(Array.isArray) ?? [body]) : body;
  if (!Array.isArray(entries) || entries.length > MAX_ENTRIES) return 0;
  let found = 0;
  await forEachInSlices(entries, (wire) => {
    if (!isObject(wire)) return;
    for (const [name, before] of RENAMED_FIELDS) {
      if (wire[before] !== undefined && wire[name] !== undefined && wire[name] !== wire[before]) found += 1;
    }
  });
  return found;
}

/** A list of the wire, bare or in an object under its name; each entry once. Rejects with RESULT_TOO_LARGE for more than 500,000 entries. */
export async function decodeEntryList<T extends { readonly id: string }>(
  name: string,
  body: unknown,
  read: (value: unknown) => ServiceEntry<T>,
): Promise<readonly ServiceEntry<T>[]> {
  const list = isObject(body) ? body[name] : body;
  if (!Array.isArray(list)) throw invalidServiceResponse(`no list of ${name}`);
  if (list.length > MAX_ENTRIES) {
    const message = `The wizard service sent a list of ${list.length} ${name}. A list may have ${MAX_ENTRIES} entries.`;
    throw new GraphError('RESULT_TOO_LARGE', message, { source: 'wizard', limit: MAX_ENTRIES, actual: list.length });
  }
  const isNew = createNewIdCheck();
  const told: ServiceEntry<T>[] = [];
  await forEachInSlices(list, (wire) => {
    const one = read(wire);
    if (isNew(one)) told.push(one);
  });
  return told;
}

/** Each entry once, the first that has its id. */
export const uniqueById = <T extends { readonly id: string }>(told: readonly ServiceEntry<T>[]): readonly ServiceEntry<T>[] =>
  told.filter(createNewIdCheck());

/** True for each entry with an id that it has not seen before, and for what cannot be read. */
function createNewIdCheck(): (one: ServiceEntry<{ readonly id: string }>) => boolean {
  const seen = new Set<string>();
  return (one) => {
    if (one instanceof InvalidEntry) return true;
    const isNew = !seen.has(one.id);
    seen.add(one.id);
    return isNew;
  };
}
