import { GraphError } from '../../../errors.ts';
import type { Quantity } from '../../../ethereum/hex.ts';
import type { DuelFilter, WizardFilter } from '../../../generated/wizards.ts';
import { type Duel, InvalidEntry, invalidServiceResponse, type ServiceEntry, type Wizard } from '../model.ts';
import { decodeDuel, decodeEntryList, decodeWizard, ID_PATTERN, uniqueById } from './decoders.ts';
import {
  distinctWizardIds,
  duelQueryParams,
  filterDuels,
  filterWizards,
  isEmptyDuelFilter,
  type ServiceQueryParams,
  wizardQueryParams,
} from './filters.ts';

/** One way to the service. */
export interface ServiceReader {
  /** Reads what a path of the service gives, null for what it does not have; equal paths once. */
  <T>(path: string, decode: (body: unknown) => T | Promise<T>): Promise<T | null>;
  /** The same where it is known without asking. */
  getCached<T>(path: string): T | undefined;
}

const WIZARDS_PATH = '/wizards';
const DUELS_PATH = '/duels';

/** A whole list that is known already. Where an entry cannot be read, the service is asked what it belongs to. */
function cachedList<T>(read: ServiceReader, list: string): readonly T[] | undefined {
  const told = read.getCached<readonly ServiceEntry<T>[]>(list);
  return told?.some((one) => one instanceof InvalidEntry) ? undefined : (told as readonly T[] | undefined);
}

/** Longest path with its query; servers and what stands before them take some 8,000, and some of those much less. */
const MAX_PATH_LENGTH = 2_000;
/** Most pieces into which a list of ids is cut; for more of them the list of all duels is shorter work. */
const MAX_ID_CHUNKS = 8;

/** Whether the service does not accept what it was asked with. */
export const isRejectedRequest = (error: unknown): boolean => error instanceof GraphError && error.code === 'BAD_USER_INPUT';

/**
 * Ids as the seed document has them. An id is opaque: one that the service does not have is unknown. That includes any other id that it refuses
 * (400, 422); when it refuses one of these, something else is wrong.
 */
const STANDARD_ID_PATTERNS = { [WIZARDS_PATH]: /^(?:0|[1-9][0-9]{0,77})$/, [DUELS_PATH]: /^0x[0-9a-f]{64}$/ } as const;

/** One wizard; null when the id is unknown. Source: `GET /wizards/<id>`. */
export const fetchWizard = (read: ServiceReader, id: string): Promise<ServiceEntry<Wizard> | null> =>
  fetchById(read, WIZARDS_PATH, id, decodeWizard);

/** One duel; null when the id is unknown. Source: `GET /duels/<id>`. */
export const fetchDuel = (read: ServiceReader, id: string): Promise<ServiceEntry<Duel> | null> =>
  fetchById(read, DUELS_PATH, id, decodeDuel);

async function fetchById<T extends { readonly id: string }>(
  read: ServiceReader,
  list: typeof WIZARDS_PATH | typeof DUELS_PATH,
  id: string,
  decode: (body: unknown) => ServiceEntry<T>,
): Promise<ServiceEntry<T> | null> {
  if (!ID_PATTERN.test(id)) return null;
  const listed = cachedList<T>(read, list)?.find((one) => one.id === id);
  if (listed) return listed;
  const told = await read(`${list}/${encodeURIComponent(id)}`, decode).catch((error) => {
    if (isRejectedRequest(error) && !STANDARD_ID_PATTERNS[list].test(id)) return null;
    throw error;
  });
  if (told && 'id' in told && told.id !== id)
    throw invalidServiceResponse(`another ${list.slice(1, -1)} than the one it was asked for`);
  return told;
}

/** All wizards to which a filter applies. Source: `GET /wizards`; `status` is looked at here, and the rest again. */
export async function fetchWizards(read: ServiceReader, filter: WizardFilter): Promise<readonly ServiceEntry<Wizard>[]> {
  const path = withQuery(WIZARDS_PATH, wizardQueryParams(filter));
  const told = cachedList<Wizard>(read, WIZARDS_PATH) ?? (await read(path, decodeWizardList));
  if (told === null) throw invalidServiceResponse('no list of wizards');
  return filterWizards(told, filter);
}

/**
 * All duels to which a filter applies, of these wizards when some are given, and of others as well when those are very many. Source:
 * `GET /duels`, once for as many ids as fit into a URL of 2,000 characters.
 */
export async function fetchDuels(
  read: ServiceReader,
  filter: DuelFilter,
  wizardIds = distinctWizardIds(filter),
): Promise<readonly ServiceEntry<Duel>[]> {
  const ids = wizardIds?.filter((id) => ID_PATTERN.test(id));
  if (isEmptyDuelFilter(filter) || ids?.length === 0) return [];
  const listed = cachedList<Duel>(read, DUELS_PATH);
  if (listed) return filterDuels(listed, filter, ids);
  const lists = await Promise.all(
    duelPathsOf(duelQueryParams(filter), ids).map(({ path, ids }) => fetchDuelsAtPath(read, path, filter, ids)),
  );
  return filterDuels(lists.length === 1 ? lists[0]! : uniqueById(lists.flat()), filter);
}

/** The duels of one path. Where the service refuses or does not have one of its ids (400, 422, 404), the others are still found. */
async function fetchDuelsAtPath(
  read: ServiceReader,
  path: string,
  filter: DuelFilter,
  ids: readonly string[] | undefined,
): Promise<readonly ServiceEntry<Duel>[]> {
  const unusual = ids?.filter((id) => !STANDARD_ID_PATTERNS[WIZARDS_PATH].test(id)) ?? [];
  const told = await read(path, decodeDuelList).catch((error) => {
    if (isRejectedRequest(error) && unusual.length > 0) return null;
    throw error;
  });
  if (told) return told;
  if (!ids) throw invalidServiceResponse('no list of duels');
  if (ids.length === 1) return [];
  // Usual ids apart from the others, which are the likelier ones to be unknown.
  const usual = ids.filter((id) => !unusual.includes(id));
  const parts =
    usual.length > 0 && unusual.length > 0 ? [usual, unusual] : ids.length <= MAX_ID_CHUNKS ? ids.map((id) => [id]) : [];
  // So many unknown ids cost less in the list of all duels.
  if (parts.length === 0) return filterDuels(await fetchDuels(read, { ...filter, wizardIds: null }), filter, ids);
  return uniqueById((await Promise.all(parts.map((part) => fetchDuels(read, filter, part)))).flat());
}

/**
 * The duels in progress and those that ended at a height or later, in this order; a duel that ends meanwhile is in both. Undefined when the service
 * does not apply these filters. Source: `GET /duels?excludeFinished=true`, then `GET /duels?endBlockFrom=<height>`.
 */
export async function fetchDuelsSince(
  read: ServiceReader,
  endBlockFrom: Quantity,
): Promise<readonly ServiceEntry<Duel>[] | undefined> {
  const found: ServiceEntry<Duel>[] = [];
  for (const filter of [{ excludeFinished: true }, { endBlockFrom }]) {
    const told = await read(withQuery(DUELS_PATH, duelQueryParams(filter)), decodeDuelList).catch((error) => {
      if (isRejectedRequest(error)) return null;
      throw error;
    });
    if (!told || filterDuels(told, filter).length < told.length) return undefined;
    for (const one of told) found.push(one);
  }
  return found;
}

/** All duels if they are known without a request. */
export const cachedDuels = (read: ServiceReader): readonly ServiceEntry<Duel>[] | undefined => cachedList<Duel>(read, DUELS_PATH);

/** A path of a list of duels, and the ids that it names; undefined when it names none. */
interface DuelPath {
  readonly path: string;
  readonly ids?: readonly string[];
}

/** The paths of a list of duels: one, or several that are each short enough. */
function duelPathsOf(params: ServiceQueryParams, ids: readonly string[] | undefined): readonly DuelPath[] {
  if (!ids) return [{ path: withQuery(DUELS_PATH, params) }];
  const rest = withQuery('', params).replace('?', '&');
  const start = `${DUELS_PATH}?wizardIds=`;
  const room = MAX_PATH_LENGTH - start.length - rest.length;
  const chunks: { text: string; ids: string[] }[] = [];
  for (const id of ids) {
    const encoded = encodeURIComponent(id);
    const last = chunks.at(-1);
    if (last && last.text.length + 1 + encoded.length <= room) {
      last.text += `,${encoded}`;
      last.ids.push(id);
    } else chunks.push({ text: encoded, ids: [id] });
  }
  if (chunks.length > MAX_ID_CHUNKS) return [{ path: withQuery(DUELS_PATH, params) }];
  return chunks.map(({ text, ids }) => ({ path: start + text + rest, ids }));
}

const withQuery = (path: string, params: ServiceQueryParams): string => {
  const query = new URLSearchParams(params).toString();
  return query === '' ? path : `${path}?${query}`;
};

const decodeWizardList = (body: unknown) => decodeEntryList('wizards', body, decodeWizard);
const decodeDuelList = (body: unknown) => decodeEntryList('duels', body, decodeDuel);
