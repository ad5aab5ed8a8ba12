import { GraphError } from '../../errors.ts';
import type { Quantity } from '../../ethereum/hex.ts';
import type { DuelFilter, WizardFilter } from '../../generated/wizards.ts';
import { duelParams, duelsMatching, idsIn, isEmpty, type Params, wizardParams, wizardsMatching } from './filters.ts';
import { badResponse, type Duel, Malformed, type Told, type Wizard } from './model.ts';
import { duelIn, ID, listIn, unique, wizardIn } from './service-decoders.ts';

/** One way to the service. */
export interface Read {
  /** Reads what a path of the service gives, null for what it does not have; equal paths once. */
  <T>(path: string, decode: (body: unknown) => T | Promise<T>): Promise<T | null>;
  /** The same where it is known without asking. */
  known<T>(path: string): T | undefined;
}

const WIZARDS = '/wizards';
const DUELS = '/duels';

/** A whole list that is known already. Where an entry cannot be read, the service is asked what it belongs to. */
function known<T>(read: Read, list: string): readonly T[] | undefined {
  const told = read.known<readonly Told<T>[]>(list);
  return told?.some((one) => one instanceof Malformed) ? undefined : (told as readonly T[] | undefined);
}

/** Longest path with its query; servers and what stands before them take some 8,000, and some of those much less. */
const LONGEST_PATH = 2_000;
/** Most pieces into which a list of ids is cut; for more of them the list of all duels is shorter work. */
const MOST_PIECES = 8;

/** Whether the service does not accept what it was asked with. */
export const isRefusal = (error: unknown): boolean => error instanceof GraphError && error.code === 'BAD_USER_INPUT';

/**
 * Ids as the seed document has them. An id is opaque: one that the service does not have is unknown. That includes any other id that it refuses
 * (400, 422); when it refuses one of these, something else is wrong.
 */
const USUAL = { [WIZARDS]: /^(?:0|[1-9][0-9]{0,77})$/, [DUELS]: /^0x[0-9a-f]{64}$/ } as const;

/** One wizard; null when the id is unknown. Source: `GET /wizards/<id>`. */
export const wizardBy = (read: Read, id: string): Promise<Told<Wizard> | null> => oneBy(read, WIZARDS, id, wizardIn);

/** One duel; null when the id is unknown. Source: `GET /duels/<id>`. */
export const duelBy = (read: Read, id: string): Promise<Told<Duel> | null> => oneBy(read, DUELS, id, duelIn);

async function oneBy<T extends { readonly id: string }>(
  read: Read,
  list: typeof WIZARDS | typeof DUELS,
  id: string,
  decode: (body: unknown) => Told<T>,
): Promise<Told<T> | null> {
  if (!ID.test(id)) return null;
  const listed = known<T>(read, list)?.find((one) => one.id === id);
  if (listed) return listed;
  const told = await read(`${list}/${encodeURIComponent(id)}`, decode).catch((error) => {
    if (isRefusal(error) && !USUAL[list].test(id)) return null;
    throw error;
  });
  if (told && 'id' in told && told.id !== id) throw badResponse(`another ${list.slice(1, -1)} than the one it was asked for`);
  return told;
}

/** All wizards to which a filter applies. Source: `GET /wizards`; `status` is looked at here, and the rest again. */
export async function wizardsBy(read: Read, filter: WizardFilter): Promise<readonly Told<Wizard>[]> {
  const path = withQuery(WIZARDS, wizardParams(filter));
  const told = known<Wizard>(read, WIZARDS) ?? (await read(path, wizardList));
  if (told === null) throw badResponse('no list of wizards');
  return wizardsMatching(told, filter);
}

/**
 * All duels to which a filter applies, of these wizards when some are given, and of others as well when those are very many. Source:
 * `GET /duels`, once for as many ids as fit into a URL of 2,000 characters.
 */
export async function duelsBy(read: Read, filter: DuelFilter, wizardIds = idsIn(filter)): Promise<readonly Told<Duel>[]> {
  const ids = wizardIds?.filter((id) => ID.test(id));
  if (isEmpty(filter) || ids?.length === 0) return [];
  const listed = known<Duel>(read, DUELS);
  if (listed) return duelsMatching(listed, filter, ids);
  const lists = await Promise.all(pathsOf(duelParams(filter), ids).map(({ path, ids }) => duelsAt(read, path, filter, ids)));
  return duelsMatching(lists.length === 1 ? lists[0]! : unique(lists.flat()), filter);
}

/** The duels of one path. Where the service refuses or does not have one of its ids (400, 422, 404), the others are still found. */
async function duelsAt(
  read: Read,
  path: string,
  filter: DuelFilter,
  ids: readonly string[] | undefined,
): Promise<readonly Told<Duel>[]> {
  const unusual = ids?.filter((id) => !USUAL[WIZARDS].test(id)) ?? [];
  const told = await read(path, duelList).catch((error) => {
    if (isRefusal(error) && unusual.length > 0) return null;
    throw error;
  });
  if (told) return told;
  if (!ids) throw badResponse('no list of duels');
  if (ids.length === 1) return [];
  // Usual ids apart from the others, which are the likelier ones to be unknown.
  const usual = ids.filter((id) => !unusual.includes(id));
  const parts =
    usual.length > 0 && unusual.length > 0 ? [usual, unusual] : ids.length <= MOST_PIECES ? ids.map((id) => [id]) : [];
  // So many unknown ids cost less in the list of all duels.
  if (parts.length === 0) return duelsMatching(await duelsBy(read, { ...filter, wizardIds: null }), filter, ids);
  return unique((await Promise.all(parts.map((part) => duelsBy(read, filter, part)))).flat());
}

/**
 * The duels in progress and those that ended at a height or later, in this order; a duel that ends meanwhile is in both. Undefined when the service
 * does not apply these filters. Source: `GET /duels?excludeFinished=true`, then `GET /duels?endBlockFrom=<height>`.
 */
export async function duelsSince(read: Read, endBlockFrom: Quantity): Promise<readonly Told<Duel>[] | undefined> {
  const found: Told<Duel>[] = [];
  for (const filter of [{ excludeFinished: true }, { endBlockFrom }]) {
    const told = await read(withQuery(DUELS, duelParams(filter)), duelList).catch((error) => {
      if (isRefusal(error)) return null;
      throw error;
    });
    if (!told || duelsMatching(told, filter).length < told.length) return undefined;
    for (const one of told) found.push(one);
  }
  return found;
}

/** All duels if they are known without a request. */
export const knownDuels = (read: Read): readonly Told<Duel>[] | undefined => known<Duel>(read, DUELS);

/** A path of a list of duels, and the ids that it names; undefined when it names none. */
interface DuelPath {
  readonly path: string;
  readonly ids?: readonly string[];
}

/** The paths of a list of duels: one, or several that are each short enough. */
function pathsOf(params: Params, ids: readonly string[] | undefined): readonly DuelPath[] {
  if (!ids) return [{ path: withQuery(DUELS, params) }];
  const rest = withQuery('', params).replace('?', '&');
  const start = `${DUELS}?wizardIds=`;
  const room = LONGEST_PATH - start.length - rest.length;
  const chunks: { text: string; ids: string[] }[] = [];
  for (const id of ids) {
    const encoded = encodeURIComponent(id);
    const last = chunks.at(-1);
    if (last && last.text.length + 1 + encoded.length <= room) {
      last.text += `,${encoded}`;
      last.ids.push(id);
    } else chunks.push({ text: encoded, ids: [id] });
  }
  if (chunks.length > MOST_PIECES) return [{ path: withQuery(DUELS, params) }];
  return chunks.map(({ text, ids }) => ({ path: start + text + rest, ids }));
}

const withQuery = (path: string, params: Params): string => {
  const query = new URLSearchParams(params).toString();
  return query === '' ? path : `${path}?${query}`;
};

const wizardList = (body: unknown) => listIn('wizards', body, wizardIn);
const duelList = (body: unknown) => listIn('duels', body, duelIn);
