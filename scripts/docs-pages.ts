/** Reads the list of pages in docs/index.md, which is the navigation of the site and the content of llms.txt. */
import { readdirSync, readFileSync } from 'node:fs';

const DOCS = new URL('../docs/', import.meta.url);

export interface DocsPage {
  readonly title: string;
  /** Path below `docs`, with `.md`. */
  readonly path: string;
  readonly content: string;
}

export interface DocsGroup {
  readonly title: string;
  readonly pages: readonly DocsPage[];
}

const readDocs = (path: string): string => readFileSync(new URL(path, DOCS), 'utf8');

/** The groups of pages in docs/index.md: each heading with the rows of its table. */
export const docsGroups = (): DocsGroup[] =>
  readDocs('index.md')
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      title: section.slice(0, section.indexOf('\n')),
      pages: [...section.matchAll(/^\| \[(.+?)\]\((\S+\.md)\) \| (.+) \|$/gm)].map(([, title, path, content]) => ({
        title: title!,
        path: path!,
        content: content!,
      })),
    }));

/** The decisions, with the titles of their files. */
export const decisionPages = (): DocsPage[] =>
  readdirSync(new URL('decisions/', DOCS))
    .filter((name) => /^\d/.test(name))
    .sort()
    .map((name) => ({
      title: readDocs(`decisions/${name}`).split('\n', 1)[0]!.slice(2),
      path: `decisions/${name}`,
      content: '',
    }));

/** Every Markdown file below `docs` but the decisions and the page that shows files of the repository, as paths below `docs`. */
export const docsFiles = (): string[] =>
  readdirSync(DOCS, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md') && path !== 'index.md' && !/^(?:decisions|files|\.vitepress)\//.test(path))
    .sort();

/** The anchor of a heading, the same on the site as where the repository shows its Markdown. */
export const headingAnchor = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');

/** The text of llms.txt (llmstxt.org): what the server is, and each page with its content. */
export function printLlmsText(): string {
  const [, introduction = ''] = readDocs('index.md').split('\n\n');
  const groups = docsGroups().map(({ title, pages }) => {
    const lines = pages.map((page) => `- [${page.title}](docs/${page.path}): ${page.content}`);
    return `## ${title}\n\n${lines.join('\n')}\n`;
  });
  return `# Grimoire

> ${introduction.replaceAll('\n', ' ')}

The complete schema is printed by \`node dist/main.js schema\`, and served to introspection at \`/graphql\`.
\`node dist/main.js mcp\` serves it to agents.

${groups.join('\n')}`;
}
