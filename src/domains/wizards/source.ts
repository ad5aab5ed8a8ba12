import { GraphError } from '../../errors.ts';
import type { Quantity } from '../../evm/hex.ts';
import type { DuelFilter, WizardFilter } from '../../generated/wizards.ts';
import { duelParams, duelsMatching, idsIn, isEmpty, type Params, wizardParams, wizardsMatching } from './filters.ts';
import { badResponse, type Duel, Malformed, type Told, type Wizard } from './model.ts';
import { duelIn, ID, listIn, unique, wizardIn } from './wire.ts';

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

/** Ids as the service has them. Another one that it does not accept belongs to nothing; when it does not accept these, something else is wrong. */
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
  const params = duelParams(filter);
  const lists = await Promise.all(
    pathsOf(params, ids).map(async (path) => {
      const told = await read(path, duelList);
      if (told === null) throw badResponse('no list of duels');
      return told;
    }),
  );
  return duelsMatching(lists.length === 1 ? lists[0]! : unique(lists.flat()), filter);
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

/** The paths of a list of duels: one, or several that are each short enough. */
function pathsOf(params: Params, ids: readonly string[] | undefined): readonly string[] {
  if (!ids) return [withQuery(DUELS, params)];
  const rest = withQuery('', params).replace('?', '&');
  const start = `${DUELS}?wizardIds=`;
  const room = LONGEST_PATH - start.length - rest.length;
  const chunks: string[] = [];
  for (const id of ids.map(encodeURIComponent)) {
    const last = chunks.at(-1);
    if (last !== undefined && last.length + 1 + id.length <= room) chunks[chunks.length - 1] = `${last},${id}`;
    else chunks.push(id);
  }
  if (chunks.length > MOST_PIECES) return [withQuery(DUELS, params)];
  return chunks.map((chunk) => start + chunk + rest);
}

const withQuery = (path: string, params: Params): string => {
  const query = new URLSearchParams(params).toString();
  return query === '' ? path : `${path}?${query}`;
};

const wizardList = (body: unknown) => listIn('wizards', body, wizardIn);
const duelList = (body: unknown) => listIn('duels', body, duelIn);
