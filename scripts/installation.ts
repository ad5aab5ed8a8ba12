/** How users get the packages, as the pages and the project of `grimoire init` name it. */
import { readFileSync } from 'node:fs';
import { docsFiles } from './docs-pages.ts';

/** The pages for users. */
export const USER_PAGES = ['README.md', 'clients/js/README.md', ...['index.md', ...docsFiles()].map((path) => `docs/${path}`)];

/** The range of versions that are compatible with the version of a package of this repository. */
const rangeOf = (path: string): string =>
  `^${(JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')) as { version: string }).version}`;

export interface Installation {
  /** The first commands of the README, as Markdown. */
  readonly start: string;
  /** Runs the program. */
  readonly command: string;
  /** Installs the client package. */
  readonly client: string;
  /** The versions in `templates/project`; paths are relative to it. */
  readonly versions: { readonly grimoire: string; readonly '@grimoire/client': string; readonly '@grimoire/devnet': string };
}

/** From a clone, or from a file that `npm run pack` has written. */
const files: Installation = {
  start: `In a clone of the repository:

\`\`\`sh
npm ci && npm start   # runs it
npm ci && npm test    # checks it
\`\`\``,
  command: 'node dist/main.js',
  client: 'npm install /path/to/grimoire/dist/grimoire-client.tgz',
  versions: {
    grimoire: 'file:../..',
    '@grimoire/client': 'file:../../dist/grimoire-client.tgz',
    '@grimoire/devnet': 'file:../../dist/grimoire-devnet.tgz',
  },
};

/** From a registry that has the packages. */
const registry: Installation = {
  start: '```sh\nnpx --package grimoire --package @grimoire/devnet grimoire\n```',
  command: 'npx grimoire',
  client: 'npm install @grimoire/client',
  versions: {
    grimoire: rangeOf('package.json'),
    '@grimoire/client': rangeOf('clients/js/package.json'),
    '@grimoire/devnet': rangeOf('devnet/package.json'),
  },
};

export const installations = { files, registry };

/**
 * No registry has the packages, so that whoever publishes these names would run code on the machines of readers. Once they are
 * published, set this to `registry` and run "npm run generate".
 */
export const INSTALLATION: Installation = files;

const NAMES = ['command', 'client'] as const;

/** A page with the commands of one installation instead of those of the other ones. */
export function nameInstallation(page: string, { start, ...names }: Installation): string {
  let text = page.replace(/(?<=<!-- start -->\n).*?(?=\n<!-- \/start -->)/s, () => start);
  for (const other of Object.values(installations)) {
    for (const name of NAMES) text = text.replaceAll(other[name], names[name]);
  }
  return text;
}
