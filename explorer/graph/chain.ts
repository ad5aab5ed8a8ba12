/** The chain that the URL of the page names, `?chain=5`; null for the default chain. A page of another chain is a new document. */
export const pageChain: string | null = new URLSearchParams(location.search).get('chain');

/** The link to the same page on a chain; null for the default chain. */
export function linkOnChain(href: string, chain: string | null): string {
  if (chain === null) return href;
  const { pathname, search, hash } = new URL(href, location.origin);
  const parameters = new URLSearchParams(search);
  parameters.set('chain', chain);
  return `${pathname}?${parameters}${hash}`;
}
