import { readdirSync, readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { type Example, exampleOf } from '../../../playground/examples/example.ts';

const folder = new URL('../../../examples/', import.meta.url);

/** The examples of the playground, in their order. */
export const examples: readonly Example[] = readdirSync(folder)
  .filter((name) => name.endsWith('.graphql'))
  .sort()
  .map((name) => exampleOf(readFileSync(new URL(name, folder), 'utf8')));

/** The editors of the playground by the end of their paths. */
type EditorName = 'operation.graphql' | 'variables.json' | 'response.json';

/** Globals of the page that the tests read. */
interface Inside {
  readonly __MONACO: {
    editor: { getModels(): { uri: { path: string }; getValue(): string; setValue(text: string): void }[] };
  };
}

/** A page of the playground. */
export class PlaygroundPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** Resolves when the editor shows its operation. */
  async waitUntilReady(): Promise<void> {
    await this.page.locator('.graphiql-query-editor .view-line').first().waitFor();
  }

  async execute(): Promise<void> {
    await this.page.getByRole('button', { name: /^Execute query/ }).click();
  }

  async showExample({ title }: Example): Promise<void> {
    const panel = this.page.getByRole('region', { name: 'Examples' });
    await panel.getByRole('button', { name: title }).click();
    await panel.locator('button[aria-current]', { hasText: title }).waitFor();
  }

  /** The text of an editor once it is not empty, from its model; the DOM has only the visible lines. */
  async textOf(name: EditorName): Promise<string> {
    const text = await this.page.waitForFunction((ending) => {
      const models = (globalThis as unknown as Inside).__MONACO.editor.getModels();
      return models.find(({ uri }) => uri.path.endsWith(ending))?.getValue();
    }, name);
    return (await text.jsonValue()) ?? '';
  }

  async readVariables(): Promise<Record<string, unknown>> {
    return JSON.parse(await this.textOf('variables.json'));
  }

  async readResponse(): Promise<{ data?: any; errors?: unknown }> {
    return JSON.parse(await this.textOf('response.json'));
  }

  async readStatus(): Promise<string> {
    const text = await this.page.getByRole('status').filter({ hasText: 'ms' }).textContent();
    return text ?? '';
  }

  tabTitles(): Promise<string[]> {
    return this.page.locator('.graphiql-tab-button').allTextContents();
  }
}
