import { type Example, exampleOf } from './example.ts';

const files = import.meta.glob<string>('../../examples/*.graphql', { query: '?raw', import: 'default', eager: true });

/** Every example, in the order of the file names. */
export const examples: readonly Example[] = Object.entries(files)
  .toSorted(([a], [b]) => (a < b ? -1 : 1))
  .map(([, query]) => exampleOf(query));
