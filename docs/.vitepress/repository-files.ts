/** Files of the repository to which the documentation links, but which are not pages: the site shows each of them below `/files/`. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decisionPages, docsFiles } from '../../scripts/docs-pages.ts';

/** Larger files are shown without colours, which would multiply the size of their pages. */
const MAX_HIGHLIGHTED_BYTES = 40_000;
const LANGUAGES: Readonly<Record<string, string>> = {
  '': 'docker',
  '.graphql': 'graphql',
  '.json': 'json',
  '.mjs': 'js',
  '.ts': 'ts',
  '.yaml': 'yaml',
  '.yml': 'yaml',
};

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const isFolder = (path: string): boolean => statSync(join(ROOT, path)).isDirectory();

/** A file or a folder of the repository, and the page of the site that shows it. */
export interface RepositoryFile {
  /** Relative to the root of the repository. */
  readonly path: string;
  /** Relative to `docs`, without the extension `.md`. It has no dot, because the server completes only names without one. */
  readonly page: string;
}

/** The path of a link in a file of the repository, relative to the root of the repository. */
export const linkedPath = (href: string, from: string): string =>
  decodeURIComponent(new URL(href, `file:///${from}`).pathname)
    .slice(1)
    .replace(/\/$/, '');

const linksOf = (page: string): string[] =>
  [...readFileSync(join(ROOT, page), 'utf8').matchAll(/\]\((\.\.?\/[^)\s]+)\)/g)].map(([, href]) => linkedPath(href!, page));

const filesIn = (path: string): string[] =>
  isFolder(path) ? [path, ...readdirSync(join(ROOT, path)).flatMap((name) => filesIn(`${path}/${name}`))] : [path];

/** All files and folders to which pages of `docs` link, with the files in the folders, in the order of their paths. */
export function repositoryFiles(): RepositoryFile[] {
  const pages = ['index.md', ...docsFiles(), ...decisionPages().map(({ path }) => path)];
  const outside = pages.flatMap((page) => linksOf(`docs/${page}`)).filter((path) => !path.startsWith('docs/'));
  const paths = [...new Set(outside.flatMap(filesIn))].sort();
  return paths.map((path) => ({ path, page: `files/${path.replaceAll('.', '-')}${isFolder(path) ? '/index' : ''}` }));
}

/** The Markdown of the page that shows a file or a folder. */
export function printFile(path: string): string {
  if (isFolder(path)) {
    const links = readdirSync(join(ROOT, path)).map((name) => `- [${name}](./${basename(path)}/${name})`);
    return `# ${path}\n\n${links.join('\n')}\n`;
  }
  const text = readFileSync(join(ROOT, path), 'utf8');
  if (path.endsWith('.md')) return text;
  const language = text.length > MAX_HIGHLIGHTED_BYTES ? 'txt' : LANGUAGES[extname(path)];
  return `# ${path}\n\n\`\`\`\`${language ?? 'txt'}\n${text}\`\`\`\`\n`;
}
