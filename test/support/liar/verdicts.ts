type Path = readonly (string | number)[];

/** A response or an event, with `extensions.trust` if the request asked for verification. */
export interface Observed {
  readonly data?: unknown;
  readonly errors?: readonly { readonly path?: Path }[];
  readonly extensions?: { readonly trust?: { readonly level: string; readonly reported: readonly string[] } };
}

/** `served`: a wrong value that nothing marks. `unused`: the forgery did not match a call. */
export type Verdict = 'unused' | 'equal' | 'reported' | 'refused' | 'served';

const isMap = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The paths of the values that differ; the path of a list whose length differs. */
function* differences(honest: any, found: any, path: Path = []): Generator<Path> {
  const areLists: boolean = Array.isArray(honest) && Array.isArray(found) && honest.length === found.length;
  if (areLists || (isMap(honest) && isMap(found)))
    for (const key of Object.keys(honest as object))
      yield* differences(honest[key], found[key], [...path, areLists ? Number(key) : key]);
  else if (JSON.stringify(honest) !== JSON.stringify(found)) yield path;
}

const valueAt = (data: unknown, path: Path): unknown => path.reduce<any>((value, part) => value?.[part], data) ?? null;
const nameOf = (path: Path): string => path.filter((part) => typeof part === 'string').join('.');

/** Compares a response with the response of the honest node. `served` lists the paths of wrong values that nothing marks. */
export function judge(honest: Observed, { data, errors = [], extensions }: Observed): { verdict: Verdict; served: string[] } {
  const isError = (path: Path): boolean =>
    valueAt(data, path) === null &&
    errors.some((error) => error.path?.every((part, i) => i >= path.length || part === path[i]) ?? true);
  const wrong = [...differences(honest.data, data)].filter((path) => !isError(path)).map(nameOf);
  const reported = extensions?.trust?.level === 'REPORTED' ? extensions.trust.reported : [];
  const isReported = (path: string) => reported.some((prefix) => path === prefix || path.startsWith(`${prefix}.`));
  const served = [...new Set(wrong.filter((path) => !isReported(path)))];
  if (served.length > 0) return { verdict: 'served', served };
  return { verdict: wrong.length > 0 ? 'reported' : errors.length > 0 ? 'refused' : 'equal', served };
}

const VERDICTS: readonly Verdict[] = ['unused', 'equal', 'refused', 'reported', 'served'];

/** Collects the verdicts of each kind of forgery on each path; a cell has the worst one. */
export function createVerdictTable() {
  const rows = new Map<string, Map<string, Verdict>>();
  const table = {
    /** Number of forgeries that changed a result. */
    applied: 0,
    /** Wrong values that were served: kind, path and fields. */
    served: new Set<string>(),
    add({ kind, path, verdict, served }: { kind: string; path: string; verdict: Verdict; served: readonly string[] }): void {
      const row = rows.get(kind) ?? new Map<string, Verdict>();
      rows.set(kind, row);
      const worst = Math.max(VERDICTS.indexOf(verdict), VERDICTS.indexOf(row.get(path) ?? 'unused'));
      row.set(path, VERDICTS[worst]!);
      if (verdict !== 'unused') table.applied += 1;
      if (verdict === 'served') table.served.add(`${kind} | ${path} | ${served.join(' ')}`);
    },
    /** The kinds and paths on which a forgery changed a result. */
    used: () =>
      [...rows].flatMap(([kind, row]) => [...row].flatMap(([path, cell]) => (cell === 'unused' ? [] : [[kind, path] as const]))),
    /** One line for each kind, with one letter for each path. */
    print(title: string): void {
      const paths = [...new Set([...rows.values()].flatMap((row) => [...row.keys()]))];
      const letters = { unused: '.', equal: '=', reported: 'R', refused: 'F', served: 'S' };
      const lines = [...rows].map(([kind, row]) => `${paths.map((path) => letters[row.get(path) ?? 'unused']).join('')} ${kind}`);
      const legend = 'F refused, R reported, = equal, S served, . not applied';
      process.stdout.write(
        `${title}: ${table.applied} forgeries applied (${legend})\n${paths.join(' | ')}\n${lines.join('\n')}\n`,
      );
    },
  };
  return table;
}
