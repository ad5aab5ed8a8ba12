import type { DuelFilter, WizardFilter } from '../../../generated/wizards.ts';
import { GraphError } from '../../../lib/errors.ts';
import { type Duel, invalidServiceResponse, type ServiceEntry, type Wizard } from '../model.ts';
import { decodeDuel, decodeEntryList, decodeWizard, ID_PATTERN, uniqueById } from './decoders.ts';
import { entryIndex, hasOnlyValidEntries } from './entry-index.ts';
import {
  distinctWizardIds,
  duelMatcher,
  duelQueryParams,
  isEmptyDuelFilter,
  matchingEntries,
  wizardMatcher,
  wizardQueryParams,
} from './filters.ts';
import type { ServiceReader } from './service-reader.ts';

type DuelEntries = readonly ServiceEntry<Duel>[];

const WIZARDS_PATH = '/wizards';
const DUELS_PATH = '/duels';

/** A path with a short response, which needs valid credentials: no wizard has this id. */
export const UNKNOWN_WIZARD_PATH = `${WIZARDS_PATH}/0`;

/** The route of a path for metrics and traces: `/wizards`, `/wizards/{id}`, `/duels` or `/duels/{id}`. */
export const routeOf = (path: string): string => path.replace(/\?.*$/s, '').replace(/^(\/\w+)\/.*$/s, '$1/{id}');

/** The cached list of all entries. Undefined if it is not cached or has an invalid entry, whose ids only the service can match. */
function cachedList<T>(read: ServiceReader, path: string): readonly T[] | undefined {
  const entries = read.getCached(path) as readonly ServiceEntry<T>[] | undefined;
  return entries && hasOnlyValidEntries(entries) ? entries : undefined;
}

/** The key of `entryIndex` for lookups by id. */
export const idOf = ({ id }: { readonly id?: string | undefined }): readonly [string | undefined] => [id];

/**
 * Maximum length of a path with its query. Most servers and proxies accept about 8,000 characters, some accept fewer.
 */
const MAX_PATH_LENGTH = 2_000;
/** Maximum number of requests that a list of ids is split into; above this number, one request reads all duels. */
const MAX_ID_CHUNKS = 8;

/** Whether the service rejected a parameter or an id (400, 422). */
const isRejectedRequest = (error: unknown): boolean => error instanceof GraphError && error.code === 'BAD_USER_INPUT';

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
  const query = new URLSearchParams(wizardQueryParams(filter)).toString();
  const path = query === '' ? WIZARDS_PATH : `${WIZARDS_PATH}?${query}`;
  const decode = (body: unknown) => decodeEntryList('wizards', body, decodeWizard, read.budget);
  const wizards = cachedList<Wizard>(read, WIZARDS_PATH) ?? (await read(path, decode));
  if (wizards === null) throw invalidServiceResponse('no list of wizards');
  return matchingEntries(wizards, wizardMatcher(filter), read.budget);
}

/**
 * Requests all duels that match a filter. With `wizardIds`, these replace the ids of the filter. The result also has duels of other wizards if
 * the ids need more than 8 requests, or if the service responds with 404, 400 or 422 to several ids. Source: `GET /duels`, one request per
 * 2,000 characters of URL.
 */
export async function fetchDuels(read: ServiceReader, filter: DuelFilter, wizardIds = distinctWizardIds(filter)) {
  const ids = wizardIds?.filter((id) => ID_PATTERN.test(id));
  if (isEmptyDuelFilter(filter) || ids?.length === 0) return [];
  const cached = cachedDuels(read);
  if (cached) return matchingEntries(cached, duelMatcher(filter, ids), read.budget);
  const query = new URLSearchParams(duelQueryParams(filter)).toString();
  const chunks = ids && chunkIds(ids, MAX_PATH_LENGTH - `${DUELS_PATH}?wizardIds=&${query}`.length);
  const lists =
    chunks && chunks.length <= MAX_ID_CHUNKS
      ? await Promise.all(chunks.map((chunk) => fetchDuelsOfWizards(read, chunk, query)))
      : [await fetchDuelsOfAllWizards(read, query)];
  const duels = lists.length === 1 ? lists[0]! : await uniqueById(lists.flat(), read.budget);
  return matchingEntries(duels, duelMatcher(filter), read.budget);
}

/**
 * Requests the duels of some wizards, or of all wizards if the service does not accept several ids, or rejects one of
 * the ids.
 */
async function fetchDuelsOfWizards(read: ServiceReader, ids: readonly string[], query: string): Promise<DuelEntries> {
  const list = `wizardIds=${ids.map(encodeURIComponent).join(',')}`;
  const duels = await readDuels(read, query === '' ? list : `${list}&${query}`).catch((error) => {
    if (isRejectedRequest(error) && (ids.length > 1 || !STANDARD_ID_PATTERNS[WIZARDS_PATH].test(ids[0]!))) return null;
    throw error;
  });
  return duels ?? (ids.length > 1 ? fetchDuelsOfAllWizards(read, query) : []);
}

async function fetchDuelsOfAllWizards(read: ServiceReader, query: string): Promise<DuelEntries> {
  const duels = await readDuels(read, query);
  if (duels === null) throw invalidServiceResponse('no list of duels');
  return duels;
}

const readDuels = (read: ServiceReader, query: string): Promise<DuelEntries | null> =>
  read(query === '' ? DUELS_PATH : `${DUELS_PATH}?${query}`, (body) => decodeEntryList('duels', body, decodeDuel, read.budget));

/** All duels, if the list is cached for the current head and has no invalid entry. */
export const cachedDuels = (read: ServiceReader): readonly Duel[] | undefined => cachedList<Duel>(read, DUELS_PATH);

/** Splits ids into lists whose texts in a URL have at most this length. */
function chunkIds(ids: readonly string[], maxLength: number): readonly (readonly string[])[] {
  const chunks: string[][] = [];
  let length = maxLength;
  for (const id of ids) {
    const added = encodeURIComponent(id).length + 1;
    length += added;
    if (length > maxLength) {
      chunks.push([]);
      length = added;
    }
    chunks.at(-1)!.push(id);
  }
  return chunks;
}
