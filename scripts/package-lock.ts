/** What of package-lock.json matters here. */
export interface Lock {
  readonly packages: Record<string, LockedPackage>;
}

interface LockedPackage {
  readonly version?: string;
  readonly resolved?: string;
  readonly dev?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/** An optional package that a locked one names with an exact version, as platform binaries are, and that is not locked itself. */
export interface MissingOptional {
  readonly path: string;
  readonly name: string;
  readonly version: string;
  readonly dev: boolean;
}

/** Looks a package up the way Node does: in its dependent's own folder, then in each one above. */
function isLocked({ packages }: Lock, dependent: string, name: string): boolean {
  const folders = dependent.split('/node_modules/');
  return (
    folders.some((_folder, depth) => packages[[...folders.slice(0, depth + 1), name].join('/node_modules/')] !== undefined) ||
    packages[`node_modules/${name}`] !== undefined
  );
}

/** The optional packages of other platforms that the lock file lacks. */
export const missingOptionals = (lock: Lock): MissingOptional[] =>
  Object.entries(lock.packages).flatMap(([path, { optionalDependencies, dev }]) =>
    Object.entries(optionalDependencies ?? {})
      .filter(([name, version]) => /^\d/.test(version) && !isLocked(lock, path, name))
      .map(([name, version]) => ({ path: `node_modules/${name}`, name, version, dev: dev === true })),
  );

/** The platform that a binary package is for, as its name tells; npm skips it on every other one. */
export function platformOf(name: string): { os: string[]; cpu: string[]; libc?: string[] } {
  const [, os, arch, rest = ''] = /(android|darwin|freebsd|linux|openharmony|win32)-([a-z0-9]+)(.*)$/.exec(name) ?? [];
  if (!os || !arch) throw new Error(`the name of ${name} does not tell its platform`);
  const libc = /musl/.test(rest) ? ['musl'] : /gnu/.test(rest) ? ['glibc'] : undefined;
  return { os: [os], cpu: [arch === 'amd64' ? 'x64' : arch], ...(libc && os === 'linux' && { libc }) };
}
