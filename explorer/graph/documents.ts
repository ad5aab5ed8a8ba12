import type { graphql as typedGraphql } from '@grimoire/client/tada';

/** Removes the indentation that all lines but the first have in common, and the line breaks at both ends. */
function dedent(text: string): string {
  const lines = text.replace(/^\n+|\s+$/g, '').split('\n');
  const indent = Math.min(...lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/)));
  return lines.map((line) => line.slice(indent)).join('\n');
}

/**
 * `graphql()` of gql.tada, which checks documents and derives their types while compiling. Here its result is the text, so that the page needs no
 * parser. `@_unmask` exists only for the types.
 */
export const graphql = ((text: string, fragments: readonly string[] = []) =>
  [dedent(text).replaceAll(' @_unmask', ''), ...fragments].join('\n\n')) as unknown as typeof typedGraphql;

/** A document with the types of its data and its variables. */
export interface TypedDocument<Data, Variables> {
  readonly __apiType?: (variables: Variables) => Data;
}
