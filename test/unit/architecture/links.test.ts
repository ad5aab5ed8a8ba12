import { existsSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import MarkdownIt, { type Token } from 'markdown-it';
import { headingAnchor } from '../../../scripts/docs-pages.ts';
import { listFiles, readSource } from './source-files.ts';

const ROOT = new URL('../../../', import.meta.url);
const markdown = new MarkdownIt({ html: true });

const flatten = (tokens: readonly Token[]): Token[] => tokens.flatMap((token) => [token, ...flatten(token.children ?? [])]);

/** The targets of the links and images of a page that are inside the repository. */
const linksOf = (text: string): string[] =>
  flatten(markdown.parse(text, {}))
    .map((token) => String(token.attrGet(token.type === 'image' ? 'src' : 'href') ?? ''))
    .filter((target) => target !== '' && !/^[a-z]+:/i.test(target));

/** The anchors of the headings of a page. */
function anchorsOf(text: string): string[] {
  const tokens = markdown.parse(text, {});
  const titles = tokens.flatMap(({ type }, i) => (type === 'heading_open' ? [tokens[i + 1]!] : []));
  return titles.map(({ children }) => headingAnchor(children!.map(({ content }) => content).join('')));
}

/** The links of a page to a file or a heading that does not exist. */
function deadLinks(path: string, text: string): string[] {
  return linksOf(text).flatMap((link) => {
    const { pathname, hash, href } = new URL(link, new URL(path, ROOT));
    const file = decodeURIComponent(pathname).slice(ROOT.pathname.length);
    if (!href.startsWith(ROOT.href) || !existsSync(new URL(pathname, ROOT))) return [`${path}: ${link}`];
    const page = file === path ? text : hash && readSource(file);
    return hash && !anchorsOf(page).includes(decodeURIComponent(hash.slice(1))) ? [`${path}: ${link}`] : [];
  });
}

const pages = ['llms.txt', ...listFiles('', ['.md'])];

test('each link between the pages of the repository leads to a file and a heading that exist', () => {
  expect(pages.length).toBeGreaterThan(100);
  expect(pages.flatMap((path) => deadLinks(path, readSource(path)))).toEqual([]);
});

test.each([
  ['a missing file', '[a](missing.md)'],
  ['a missing heading of another page', '[a](docs/errors.md#missing)'],
  ['a missing heading of the same page', '# Title\n\n[a](#other)'],
  ['a missing image', '![a](missing.png)'],
  ['a file outside of the repository', '[a](../shared)'],
])('%s is a dead link', (_case, text) => {
  expect(deadLinks('README.md', text)).toHaveLength(1);
});
