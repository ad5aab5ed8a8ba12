/** One file of `examples/`: its first comment line is the title, its whole text is what the editor shows. */
export interface Example {
  readonly title: string;
  readonly query: string;
}

const files = import.meta.glob<string>('../examples/*.graphql', { query: '?raw', import: 'default', eager: true });

/** Every example, in the order of the file names. */
export const examples: readonly Example[] = Object.entries(files)
  .toSorted(([a], [b]) => (a < b ? -1 : 1))
  .map(([path, query]) => ({ title: /^#\s*(.+)$/m.exec(query)?.[1] ?? path.replace(/^.*\//, ''), query }));
