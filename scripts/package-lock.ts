/** The part of package-lock.json that these scripts read. */
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

/** An optional dependency with an exact version (a platform binary) that package-lock.json lacks. */
export interface MissingOptional {
  readonly path: string;
  readonly name: string;
  readonly version: string;
  readonly dev: boolean;
}

/** Looks a package up as Node does: in the folder of its dependent, then in each parent folder. */
function isLocked({ packages }: Lock, dependent: string, name: string): boolean {
  const folders = dependent.split('/node_modules/');
  return (
    folders.some((_folder, depth) => packages[[...folders.slice(0, depth + 1), name].join('/node_modules/')] !== undefined) ||
    packages[`node_modules/${name}`] !== undefined
  );
}

/** Returns the optional packages of other platforms that the lock file lacks. */
export const missingOptionals = (lock: Lock): MissingOptional[] =>
  Object.entries(lock.packages).flatMap(([path, { optionalDependencies, dev }]) =>
    Object.entries(optionalDependencies ?? {})
      .filter(([name, version]) => /^\d/.test(version) && !isLocked(lock, path, name))
      .map(([name, version]) => ({ path: `node_modules/${name}`, name, version, dev: dev === true })),
  );

/** Parses the platform of a binary package from its name; npm installs the package on this platform only. */
export function platformOf(name: string): { os: string[]; cpu: string[]; libc?: string[] } {
  const [, os, arch, rest = ''] =
    /(aix|android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32)-([a-z0-9]+)(.*)$/.exec(name) ?? [];
  if (!os || !arch) throw new Error(`cannot parse a platform from the package name ${name}`);
  const libc = /musl/.test(rest) ? ['musl'] : /gnu/.test(rest) ? ['glibc'] : undefined;
  return { os: [os], cpu: [arch === 'amd64' ? 'x64' : arch], ...(libc && os === 'linux' && { libc }) };
}
