import { isObject } from '../../../ethereum/block-results.ts';
import { nullable } from '../../../ethereum/decoders.ts';
import { type Quantity, toData, toQuantity } from '../../../ethereum/hex.ts';
import type { Affinity } from '../../../generated/wizards.ts';
import { GraphError } from '../../../lib/errors.ts';
import { filterYielding, forEachYielding, type OperationBudget } from '../../../lib/operation-budget.ts';
import { type Duel, InvalidEntry, invalidServiceResponse, type Power, type ServiceEntry, type Wizard } from '../model.ts';

/*
 * Tolerant decoders of the wizard service: they accept the field names of the service's earlier revision, bare and wrapped lists, and
 * numbers as strings or JSON numbers.
 */
type WireObject = Readonly<Record<string, unknown>>;
/** Decodes one field; undefined if the value is invalid. */
type FieldDecoder<T> = (value: unknown) => T | undefined;

/** Affinities; the index is the code of the service. */
export const AFFINITIES: readonly Affinity[] = ['NOTSET', 'NEUTRAL', 'FIRE', 'WIND', 'WATER'];

/** Limits the digits: arithmetic on longer integers blocks the event loop. */
const POWER_PATTERN = /^[0-9]{1,1000}$/;

/** A JSON number or string as a string; undefined for a number that `JSON.parse` may have rounded, and for other types. */
const toText = (value: unknown): string | undefined => {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : undefined;
  return typeof value === 'string' ? value : undefined;
};

/**
 * Ids that can be requested; any other id is unknown without a request. Excludes dots alone, which a URL parser resolves as a path segment,
 * and commas, which separate ids in a query parameter.
 */
export const ID_PATTERN = /^(?!\.+$)[!-+\--~]{1,200}$/;

const textMatching = (value: unknown, pattern: RegExp): string | undefined => {
  const text = toText(value);
  return text !== undefined && pattern.test(text) ? text : undefined;
};

const id: FieldDecoder<string> = (value) => textMatching(value, ID_PATTERN);
const duelId: FieldDecoder<string> = (value) => toData(value, 32) ?? id(value);

const power: FieldDecoder<Power> = (value) => textMatching(value, POWER_PATTERN)?.replace(/^0+(?=.)/, '');

const height: FieldDecoder<Quantity> = (value) => toQuantity(value, 64);

const boolean: FieldDecoder<boolean> = (value) => {
  if (typeof value === 'boolean') return value;
  return value === 'true' ? true : value === 'false' ? false : undefined;
};

const moves: FieldDecoder<string> = (value) =>
  typeof value === 'string' ? toData(value.startsWith('0x') ? value : `0x${value}`) : undefined;

/** UNKNOWN for an invalid or a new code, so that the rest of the entry stays readable. */
const affinity = (value: unknown): Affinity => AFFINITIES[Number(toText(value) || Number.NaN)] ?? 'UNKNOWN';

/** The value under the current name of a field, else under its name in the service's earlier revision. */
const fieldOf = (wire: WireObject, name: string, legacyName: string): unknown =>
  wire[name] === undefined ? wire[legacyName] : wire[name];

/** Returns the entry, or an `InvalidEntry` whose error lists the fields of the model that could not be decoded. */
function toServiceEntry<T extends object>(typeName: string, fields: { readonly [K in keyof T]: T[K] | undefined }) {
  const invalidFields = Object.keys(fields).filter((name) => fields[name as keyof T] === undefined);
  if (invalidFields.length === 0) return fields as T;
  return new InvalidEntry(fields as Partial<T>, `a ${typeName} with missing or invalid fields: ${invalidFields.join(', ')}`);
}

/** Decodes a wizard of the service's JSON. */
export function decodeWizard(value: unknown): ServiceEntry<Wizard> {
  const wire = isObject(value) ? value : {};
  return toServiceEntry<Wizard>('wizard', {
    id: id(wire.id),
    ownerAddress: toData(wire.owner, 20),
    affinity: affinity(wire.affinity),
    initialPower: power(fieldOf(wire, 'initialPower', 'startingPower')),
    power: power(wire.power),
    createdBlockNumber: height(wire.createdBlockNumber),
    eliminatedBlockNumber: nullable(height)(wire.eliminatedBlockNumber),
  });
}

/** Decodes a duel of the service's JSON. */
export function decodeDuel(value: unknown): ServiceEntry<Duel> {
  const wire = isObject(value) ? value : {};
  return toServiceEntry<Duel>('duel', {
    id: duelId(fieldOf(wire, 'id', 'duelId')),
    wizard1Id: id(fieldOf(wire, 'wizard1Id', 'wiz1Id')),
    wizard2Id: id(fieldOf(wire, 'wizard2Id', 'wiz2Id')),
    affinity1: affinity(wire.affinity1),
    affinity2: affinity(wire.affinity2),
    startPower1: nullable(power)(fieldOf(wire, 'startPower1', 'power1')),
    startPower2: nullable(power)(fieldOf(wire, 'startPower2', 'power2')),
    endPower1: nullable(power)(wire.endPower1),
    endPower2: nullable(power)(wire.endPower2),
    moveSet1: nullable(moves)(wire.moveSet1),
    moveSet2: nullable(moves)(wire.moveSet2),
    startBlockNumber: height(wire.startBlock),
    endBlockNumber: nullable(height)(wire.endBlock),
    timeoutBlockNumber: nullable(height)(wire.timeoutBlock),
    timedOut: nullable(boolean)(wire.timedOut),
    isAscensionBattle: nullable(boolean)(wire.isAscensionBattle),
  });
}

/**
 * Maximum number of entries of a list. A response of 64 MiB has fewer wizards or duels; only tiny invalid entries, each
 * of which needs more memory than its JSON, can exceed this number.
 */
const MAX_ENTRIES = 500_000;

/**
 * Decodes a list, bare or in an object under its name; the first entry of each id. Rejects with UPSTREAM_BAD_RESPONSE if there is no list,
 * and with RESULT_TOO_LARGE for more than 500,000 entries.
 */
export async function decodeEntryList<T extends { readonly id: string }>(
  name: string,
  body: unknown,
  decode: (value: unknown) => ServiceEntry<T>,
  budget?: OperationBudget,
): Promise<readonly ServiceEntry<T>[]> {
  const list = isObject(body) ? body[name] : body;
  if (!Array.isArray(list)) throw invalidServiceResponse(`no list of ${name}`);
  if (list.length > MAX_ENTRIES) {
    const message = `The wizard service sent a list of ${list.length} ${name}. A list may have ${MAX_ENTRIES} entries.`;
    throw new GraphError('RESULT_TOO_LARGE', message, { source: 'wizard', limit: MAX_ENTRIES, actual: list.length });
  }
  const isNew = createNewIdCheck();
  const entries: ServiceEntry<T>[] = [];
  await forEachYielding(list, budget, (wire: unknown) => {
    const entry = decode(wire);
    if (isNew(entry)) entries.push(entry);
  });
  return entries;
}

/** The first valid and the first invalid entry of each id. */
export const uniqueById = <T extends { readonly id: string }>(
  entries: readonly ServiceEntry<T>[],
  budget: OperationBudget | undefined,
): Promise<readonly ServiceEntry<T>[]> => filterYielding(entries, budget, createNewIdCheck());

/** Returns a predicate: true for the first valid and the first invalid entry of each id, and for each invalid entry without an id. */
function createNewIdCheck(): (entry: ServiceEntry<{ readonly id: string }>) => boolean {
  const [valid, invalid] = [new Set<unknown>(), new Set<unknown>()];
  return (entry) => {
    const [seen, id] = entry instanceof InvalidEntry ? [invalid, entry.partial.id ?? entry] : [valid, entry.id];
    const { size } = seen;
    return seen.add(id).size > size;
  };
}
