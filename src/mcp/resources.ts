import { readdirSync, readFileSync } from 'node:fs';
import { type CallToolResult, type McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server';
import MiniSearch from 'minisearch';
import { PACKAGE_ROOT } from '../lib/package-root.ts';
import { didYouMean, wordsOf } from './search.ts';

/** The folders of the package whose files are resources, with the media type of their files. */
const FOLDERS: Readonly<Record<string, string>> = {
  'docs/': 'text/markdown',
  'docs/recipes/': 'text/markdown',
  'docs/start/': 'text/markdown',
  'examples/': 'application/graphql',
};

const JSON_TYPE = 'application/json';
const URI_PREFIX = 'grimoire://';

const readText = (path: string): string => readFileSync(new URL(path, PACKAGE_ROOT), 'utf8');

/** The pages of the documentation, the recipes and the example operations. The first heading or comment is the title; `llms.txt` describes the pages. */
function listResources() {
  const descriptions = new Map([...readText('llms.txt').matchAll(/\((docs\/.+)\): (.+)/g)].map(([, path, text]) => [path, text]));
  return Object.entries(FOLDERS).flatMap(([folder, mimeType]) =>
    readdirSync(new URL(folder, PACKAGE_ROOT))
      .filter((name) => /\.(?:md|graphql)$/.test(name))
      .map((name) => {
        const title = /^#+ *(.+)$/m.exec(readText(folder + name))?.[1] ?? name;
        const description = descriptions.get(folder + name);
        return { uri: URI_PREFIX + folder + name, name: folder + name, title, mimeType, ...(description && { description }) };
      }),
  );
}

let resources: ReturnType<typeof listResources> | undefined;

/** Names up to three resources that resemble a URI, as the end of an error. */
function similarResources(uri: string): string {
  const index = new MiniSearch({ idField: 'uri', fields: ['name', 'title'], tokenize: wordsOf });
  index.addAll(resources ?? []);
  return didYouMean(index, uri);
}

/**
 * Adds the documentation, the recipes and the examples of this version as resources, and the served chains as the graph returns them. Only
 * listed files can be read.
 */
export function addResources(server: McpServer, readChains: (signal: AbortSignal) => Promise<CallToolResult>): void {
  const chains = {
    title: 'Served chains',
    description: 'the ids of the served chains, the default one first',
    mimeType: JSON_TYPE,
  };
  server.registerResource('chains', `${URI_PREFIX}chains`, chains, async ({ href }, { mcpReq: { signal } }) => {
    const { content } = await readChains(signal);
    return {
      contents: content.flatMap((part) => (part.type === 'text' ? { uri: href, mimeType: JSON_TYPE, text: part.text } : [])),
    };
  });
  const list = () => {
    resources ??= listResources();
    return { resources };
  };
  server.registerResource('documentation', new ResourceTemplate(`${URI_PREFIX}{+path}`, { list }), {}, ({ href }) => {
    const found = list().resources.find(({ uri }) => uri === href);
    if (!found) {
      const message = `No such resource. Read a resource that resources/list returns.${similarResources(href)}`;
      throw new ResourceNotFoundError(href, message);
    }
    return { contents: [{ uri: href, mimeType: found.mimeType, text: readText(found.name) }] };
  });
}
