/** An operation in the URL of the page. */
export interface SharedOperation {
  readonly query: string;
  /** JSON text; null without variables. */
  readonly variables: string | null;
}

/**
 * The operation in the URL, `#query=…&variables=…` or `?query=…&variables=…`. Undefined without `query`. It is not executed before the reader does so.
 */
export function sharedOperation({
  hash,
  search,
}: {
  readonly hash: string;
  readonly search: string;
}): SharedOperation | undefined {
  for (const text of [hash, search]) {
    const parameters = new URLSearchParams(text.replace(/^[#?]/, ''));
    const query = parameters.get('query');
    if (query !== null) return { query, variables: parameters.get('variables') };
  }
  return undefined;
}

/** The URL of a page with an operation in its fragment, which `sharedOperation` reads. */
export function linkTo(page: string, { query, variables }: SharedOperation): string {
  const parameters = new URLSearchParams({ query, ...(variables !== null && { variables }) });
  return `${page.replace(/[?#].*$/s, '')}#${parameters}`;
}
