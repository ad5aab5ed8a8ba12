import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type MarkdownOptions } from 'vitepress';
import { bundledLicenses } from '../../scripts/bundled-licenses.ts';
import { type DocsPage, decisionPages, docsFiles, docsGroups, headingAnchor } from '../../scripts/docs-pages.ts';
import { linkedPath, repositoryFiles } from './repository-files.ts';

/** The path of the site below the origin of the server (`src/server/web-pages.ts`). */
const BASE = '/docs/';

const sidebarItem = ({ title, path }: DocsPage) => ({ text: title, link: `/${path.replace(/\.md$/, '')}` });

type Token = ReturnType<Parameters<NonNullable<MarkdownOptions['config']>>[0]['parse']>[number];

const files = repositoryFiles();

/**
 * Replaces the links to files outside of `docs` by links to the pages that show the files. Removes a link of such a page to a file that
 * the site does not have, and keeps its text.
 */
function withSiteLinks(tokens: Token[], relativePath: string): Token[] {
  const source = files.find(({ page }) => `${page}.md` === relativePath)?.path ?? `docs/${relativePath}`;
  let isKept = true;
  return tokens.filter((token) => {
    if (token.type === 'link_open') {
      const href = String(token.attrGet('href'));
      const link = /^[a-z]+:|^#/.test(href) ? href : siteLink(href, source);
      isKept = link !== undefined;
      if (link !== undefined) token.attrSet('href', link);
      return isKept;
    }
    return token.type !== 'link_close' || isKept;
  });
}

/** The link of a file as a link of the site; undefined if the site does not have the linked file. */
function siteLink(href: string, source: string): string | undefined {
  const path = linkedPath(href, source);
  const [hash = ''] = /#.*$/.exec(href) ?? [];
  if (path.startsWith('docs/')) return source.startsWith('docs/') ? href : `/${path.slice('docs/'.length)}${hash}`;
  const file = files.find((each) => each.path === path);
  return file && `/${file.page.replace(/(?<=\/)index$/, '')}${hash}`;
}

/** Moves inline scripts to files, because the content policy of the server allows no inline script. */
function externalizeScripts(html: string, outDir: string): string {
  return html.replace(/<script id="[\w-]+">(.*?)<\/script>/gs, (_element, code: string) => {
    const name = `assets/inline-${createHash('sha256').update(code).digest('hex').slice(0, 12)}.js`;
    mkdirSync(join(outDir, 'assets'), { recursive: true });
    writeFileSync(join(outDir, name), code);
    return `<script src="${BASE}${name}"></script>`;
  });
}

export default defineConfig({
  title: 'Grimoire',
  description: 'One GraphQL API over an Ethereum node and a wizard tournament.',
  lang: 'en',
  base: BASE,
  cleanUrls: true,
  outDir: '../dist/docs',
  cacheDir: '../node_modules/.cache/vitepress',
  // The metadata of the site in a file instead of an inline script.
  metaChunk: true,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${BASE}mark.svg` }]],
  markdown: {
    // The colours of the default themes have too little contrast.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: headingAnchor },
    config(md) {
      // Names break after an underscore, so that tables of names fit.
      const printCode = md.renderer.rules.code_inline!;
      md.renderer.rules.code_inline = (...args) => printCode(...args).replaceAll('_', '_<wbr>');
      md.core.ruler.push('site-links', (state) => {
        const { relativePath } = state.env as { relativePath: string };
        for (const token of state.tokens) {
          if (token.children) token.children = withSiteLinks(token.children, relativePath);
        }
      });
    },
  },
  vite: { plugins: [bundledLicenses()] },
  themeConfig: {
    logo: '/mark.svg',
    // The accessible name contains the visible text: the label, a space, and the key.
    search: {
      provider: 'local',
      options: {
        translations: { button: { buttonText: 'Search ', buttonAriaLabel: 'Search K' } },
        // Without the decisions, which state reasons and would come before the pages that state how to use the server.
        _render(source, env, md) {
          const html = md.render(source, env);
          return env.frontmatter?.search === false || /^decisions\//.test(env.relativePath) ? '' : html;
        },
      },
    },
    outline: 'deep',
    nav: [
      { text: 'Playground', link: '/../', target: '_self' },
      { text: 'Explorer', link: '/../explore/', target: '_self' },
    ],
    sidebar: [
      ...docsGroups().map(({ title, pages }) => ({ text: title, items: pages.map(sidebarItem) })),
      // Without a link, the heading would be a button that contains another button.
      { text: 'Decisions', link: '/decisions/README', collapsed: true, items: decisionPages().map(sidebarItem) },
    ],
  },
  transformHtml: (html, _id, { siteConfig }) => externalizeScripts(html, siteConfig.outDir),
  // llms.txt refers to the sources.
  buildEnd({ srcDir, outDir }) {
    for (const path of ['index.md', ...docsFiles()]) cpSync(join(srcDir, path), join(outDir, path));
  },
});
