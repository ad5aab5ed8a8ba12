import type { GraphError } from '@grimoire/client';

const FRAGMENT = /^fragment (\w+) on [\s\S]*?^}\n*/gm;

/** A field that the schema of the server lacks, and one whose service the chain lacks. */
const INVALID: ReadonlySet<unknown> = new Set(['GRAPHQL_VALIDATION_FAILED', 'DOMAIN_NOT_CONFIGURED']);

/**
 * Removes the fragments whose fields the server or the chain lacks: a server without wizards has no `Query.duels`, for example. Null when an error
 * lies outside of all fragments. The document must be formatted as those of the pages: each fragment ends with a line `}`.
 */
export function withoutInvalidFragments(text: string, errors: readonly GraphError[]): string | null {
  const fragments = [...text.matchAll(FRAGMENT)].map(([source, name]) => {
    const start = text.indexOf(source);
    const firstLine = text.slice(0, start).split('\n').length;
    return { name: name!, source, firstLine, lastLine: firstLine + source.trimEnd().split('\n').length - 1 };
  });
  const invalid = new Set<(typeof fragments)[number]>();
  for (const error of errors) {
    const { line = 0 } = (error as { locations?: readonly { line: number }[] }).locations?.[0] ?? {};
    const fragment = fragments.find(({ firstLine, lastLine }) => firstLine <= line && line <= lastLine);
    if (!INVALID.has(error.extensions?.code) || !fragment) return null;
    invalid.add(fragment);
  }
  if (invalid.size === 0) return null;
  return withoutUnusedVariables(
    [...invalid]
      .reduce((rest, { name, source }) => rest.replace(source, '').replace(new RegExp(`\\s*\\.\\.\\.${name}\\b`, 'g'), ''), text)
      .trimEnd(),
  );
}

/** Removes the definitions of variables that a document without its fragments no longer uses. */
const withoutUnusedVariables = (text: string): string =>
  text
    .replace(/\$(\w+): [\w![\]]+(,? *)/g, (definition, name: string) =>
      (text.match(new RegExp(`\\$${name}\\b`, 'g'))?.length ?? 0) > 1 ? definition : '',
    )
    .replace(/,\s*\) \{/, ') {')
    .replace(/\(\s*\) \{/, ' {');
