import type { GraphError, GraphResult } from '@grimoire/client';

const QUERY = /^query (\w+)(?:\(([^)]*)\))? \{\n([\s\S]*?)\n\}/;

/** Whether an operation reads all served chains. */
export const readsAllChains = (text: string): boolean => /^ *chains \{/m.test(text);

/** The same operation on the chain of the variable `$chain`: `Chain` has the fields of `Query`. */
export const onChain = (text: string): string =>
  text
    .replace(QUERY, (_query, name: string, variables: string | undefined, selection: string) => {
      const indented = selection.replaceAll('\n', '\n  ');
      return `query ${name}($chain: ChainId!${variables ? `, ${variables}` : ''}) {\n  chain(id: $chain) {\n  ${indented}\n  }\n}`;
    })
    .replace(/^(fragment \w+ on) Query\b/gm, '$1 Chain');

/** The result of an operation of `onChain` as that of the operation itself. */
export const ofChain = ({ data, errors, extensions }: GraphResult): GraphResult => ({
  data: (data as { chain?: unknown } | null | undefined)?.chain ?? null,
  errors: errors?.map((error): GraphError => ({ ...error, path: error.path?.slice(1) })),
  extensions,
});
