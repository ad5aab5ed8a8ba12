import type { Quantity } from '../../../ethereum/hex.ts';
import type { DuelFilter, WizardFilter } from '../../../generated/wizards.ts';
import { GraphError } from '../../../lib/errors.ts';
import type { OperationBudget } from '../../../lib/operation-budget.ts';
import { type Duel, invalidServiceResponse, type ServiceEntry, type Wizard } from '../model.ts';
import { decodeDuel, decodeEntryList, decodeWizard, ID_PATTERN, uniqueById } from './decoders.ts';
import { entryIndex, hasOnlyValidEntries } from './entry-index.ts';
import {
  distinctWizardIds,
  duelMatcher,
  duelQueryParams,
  isEmptyDuelFilter,
  matchingEntries,
  type ServiceQueryParams,
  wizardMatcher,
  wizardQueryParams,
} from './filters.ts';

/** Reads the wizard service for one operation. */
export interface ServiceReader {
  /** Requests a path and decodes its response; null for 404. Shares cached and in-flight responses of the same head. */
  <T>(path: string, decode: (body: unknown) => T | Promise<T>): Promise<T | null>;
  /** The decoded response of a path if it is cached for the current head; undefined otherwise. */
  getCached<T>(path: string): T | undefined;
  /** Counts and limits the time of scans; undefined: nothing is counted. */
  readonly budget?: OperationBudget | undefined;
}

const WIZARDS_PATH = '/wizards';
const DUELS_PATH = '/duels';

/** The route of a path for metrics and traces: `/wizards`, `/wizards/{id}`, `/duels` or `/duels/{id}`. */
export const routeOf = (path: string): string => path.replace(/\?.*$/s, '').replace(/^(\/\w+)\/.*$/s, '$1/{id}');

/** The cached list of all entries. Undefined if it is not cached or has an invalid entry, whose ids only the service can match. */
function cachedList<T>(read: ServiceReader, path: string): readonly T[] | undefined {
  const entries = read.getCached<readonly ServiceEntry<T>[]>(path);
  return entries && hasOnlyValidEntries(entries) ? entries : undefined;
}

/** The key of `entryIndex` for lookups by id. */
export const idOf = ({ id }: { readonly id?: string | undefined }): readonly [string | undefined] => [id];

/** Maximum length of a path with its query. Servers and proxies accept about 8,000 characters, some of them fewer. */
const MAX_PATH_LENGTH = 2_000;
/** Maximum number of requests that a list of ids is split into; above it, one request reads all duels. */
const MAX_ID_CHUNKS = 8;

/** Whether the service rejected a parameter or an id (400, 422). */
export const isRejectedRequest = (error: unknown): boolean => error instanceof GraphError && error.code === 'BAD_USER_INPUT';

/**
 * Ids in the standard format: decimal for wizards, 32 bytes of 0x-hex for duels. If the service rejects an id of another format (400,
 * 422), the id is unknown. If it rejects a standard id, the error is reported.
 */
const STANDARD_ID_PATTERNS = { [WIZARDS_PATH]: /^(?:0|[1-9][0-9]{0,77})$/, [DUELS_PATH]: /^0x[0-9a-f]{64}$/ } as const;

/** Requests one wizard; null if the id is unknown. Source: `GET /wizards/<id>`. */
export const fetchWizard = (read: ServiceReader, id: string): Promise<ServiceEntry<Wizard> | null> =>
  fetchById(read, WIZARDS_PATH, id, decodeWizard);

/** Requests one duel; null if the id is unknown. Source: `GET /duels/<id>`. */
export const fetchDuel = (read: ServiceReader, id: string): Promise<ServiceEntry<Duel> | null> =>
  fetchById(read, DUELS_PATH, id, decodeDuel);

async function fetchById<T extends { readonly id: string }>(
  read: ServiceReader,
  listPath: typeof WIZARDS_PATH | typeof DUELS_PATH,
  id: string,
  decode: (body: unknown) => ServiceEntry<T>,
): Promise<ServiceEntry<T> | null> {
  if (!ID_PATTERN.test(id)) return null;
  const list = cachedList<T>(read, listPath);
  const [cached] = list ? (await entryIndex<T>(list, idOf, read.budget)).exact(id) : [];
  if (cached) return cached;
  const entry = await read(`${listPath}/${encodeURIComponent(id)}`, decode).catch((error) => {
    if (isRejectedRequest(error) && !STANDARD_ID_PATTERNS[listPath].test(id)) return null;
    throw error;
  });
  if (entry && 'id' in entry && entry.id !== id)
    throw invalidServiceResponse(`a ${listPath.slice(1, -1)} with another id than the requested one`);
  return entry;
}

/** Requests all wizards that match a filter. The filter is applied to the response as well. Source: `GET /wizards`. */
export async function fetchWizards(read: ServiceReader, filter: WizardFilter): Promise<readonly ServiceEntry<Wizard>[]> {
  const path = withQuery(WIZARDS_PATH, wizardQueryParams(filter));
  const decode = (body: unknown) => decodeEntryList('wizards', body, decodeWizard, read.budget);
  const wizards = cachedList<Wizard>(read, WIZARDS_PATH) ?? (await read(path, decode));
  if (wizards === null) throw invalidServiceResponse('no list of wizards');
  return matchingEntries(wizards, wizardMatcher(filter), read.budget);
}

/**
 * Requests all duels that match a filter. With `wizardIds`, these replace the ids of the filter; if they need more than 8 requests, the
 * result also has duels of other wizards. Source: `GET /duels`, one request per 2,000 characters of URL.
 */
export async function fetchDuels(
  read: ServiceReader,
  filter: DuelFilter,
  wizardIds = distinctWizardIds(filter),
): Promise<readonly ServiceEntry<Duel>[]> {
  const ids = wizardIds?.filter((id) => ID_PATTERN.test(id));
  if (isEmptyDuelFilter(filter) || ids?.length === 0) return [];
  const cached = cachedList<Duel>(read, DUELS_PATH);
  if (cached) return matchingEntries(cached, duelMatcher(filter, ids), read.budget);
  const lists = await Promise.all(
    duelPathsOf(duelQueryParams(filter), ids).map(({ path, ids }) => fetchDuelsAtPath(read, path, filter, ids)),
  );
  const duels = lists.length === 1 ? lists[0]! : await uniqueById(lists.flat(), read.budget);
  return matchingEntries(duels, duelMatcher(filter), read.budget);
}

/**
 * Requests the duels of one path. If the service responds with 404, or rejects a list with a nonstandard id, the ids are requested in smaller
 * lists, so that an unknown id does not hide the duels of the others.
 */
async function fetchDuelsAtPath(
  read: ServiceReader,
  path: string,
  filter: DuelFilter,
  ids: readonly string[] | undefined,
): Promise<readonly ServiceEntry<Duel>[]> {
  const nonstandard = ids?.filter((id) => !STANDARD_ID_PATTERNS[WIZARDS_PATH].test(id)) ?? [];
  const duels = await readDuels(read, path).catch((error) => {
    if (isRejectedRequest(error) && nonstandard.length > 0) return null;
    throw error;
  });
  if (duels) return duels;
  if (!ids) throw invalidServiceResponse('no list of duels');
  if (ids.length === 1) return [];
  // Nonstandard ids are the likelier ones to be unknown.
  const standard = ids.filter((id) => !nonstandard.includes(id));
  const groups =
    standard.length > 0 && nonstandard.length > 0
      ? [standard, nonstandard]
      : ids.length <= MAX_ID_CHUNKS
        ? ids.map((id) => [id])
        : [];
  // One list of all duels is cheaper than a request per id.
  if (groups.length === 0) {
    const all = await fetchDuels(read, { ...filter, wizardIds: null });
    return matchingEntries(all, duelMatcher(filter, ids), read.budget);
  }
  return uniqueById((await Promise.all(groups.map((group) => fetchDuels(read, filter, group)))).flat(), read.budget);
}

/**
 * Requests the duels in progress, then the duels that ended at `endBlockFrom` or later; a duel that ends between the two requests is in both.
 * Undefined if the service ignores or rejects these filters. Source: `GET /duels?excludeFinished=true` and `GET /duels?endBlockFrom=<height>`.
 */
export async function fetchDuelsSince(
  read: ServiceReader,
  endBlockFrom: Quantity,
): Promise<readonly ServiceEntry<Duel>[] | undefined> {
  const recent: ServiceEntry<Duel>[] = [];
  for (const filter of [{ excludeFinished: true }, { endBlockFrom }]) {
    const duels = await readDuels(read, withQuery(DUELS_PATH, duelQueryParams(filter))).catch((error) => {
      if (isRejectedRequest(error)) return null;
      throw error;
    });
    if (!duels || (await matchingEntries(duels, duelMatcher(filter), read.budget)).length < duels.length) return undefined;
    for (const duel of duels) recent.push(duel);
  }
  return recent;
}

/** All duels, if the list is cached for the current head and has no invalid entry. */
export const cachedDuels = (read: ServiceReader): readonly ServiceEntry<Duel>[] | undefined => cachedList<Duel>(read, DUELS_PATH);

/** Path of a list of duels, with the wizard ids in its query; undefined if it has none. */
interface DuelPath {
  readonly path: string;
  readonly ids?: readonly string[];
}

/** Builds the paths of a list of duels, each at most 2,000 characters long; one path of all duels if there would be more than 8. */
function duelPathsOf(params: ServiceQueryParams, ids: readonly string[] | undefined): readonly DuelPath[] {
  if (!ids) return [{ path: withQuery(DUELS_PATH, params) }];
  const suffix = withQuery('', params).replace('?', '&');
  const prefix = `${DUELS_PATH}?wizardIds=`;
  const maxChunkLength = MAX_PATH_LENGTH - prefix.length - suffix.length;
  const chunks: { text: string; ids: string[] }[] = [];
  for (const id of ids) {
    const encoded = encodeURIComponent(id);
    const last = chunks.at(-1);
    if (last && last.text.length + 1 + encoded.length <= maxChunkLength) {
      last.text += `,${encoded}`;
      last.ids.push(id);
    } else chunks.push({ text: encoded, ids: [id] });
  }
  if (chunks.length > MAX_ID_CHUNKS) return [{ path: withQuery(DUELS_PATH, params) }];
  return chunks.map(({ text, ids }) => ({ path: prefix + text + suffix, ids }));
}

const withQuery = (path: string, params: ServiceQueryParams): string => {
  const query = new URLSearchParams(params).toString();
  return query === '' ? path : `${path}?${query}`;
};

const readDuels = (read: ServiceReader, path: string): Promise<readonly ServiceEntry<Duel>[] | null> =>
  read(path, (body) => decodeEntryList('duels', body, decodeDuel, read.budget));
