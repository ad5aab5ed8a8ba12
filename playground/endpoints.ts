// Relative to the page, so that a proxy may mount the server under a prefix.
const urlOf = (path: string): string => new URL(path, location.href.replace(/[?#].*$/s, '')).href;

/** URL of the graph. */
export const graphUrl = urlOf('graphql');
/** URL of the playground. */
export const playgroundUrl = urlOf('.');
/** URL of the accounts of the embedded network, a page of the playground. */
export const accountsUrl = urlOf('#accounts');
/** URL of the explorer. */
export const explorerUrl = urlOf('explore');
/** URL of the documentation. */
export const docsUrl = urlOf('docs');
/** URL of the description of the embedded network, with its accounts; 404 over another node. */
export const devnetUrl = urlOf('devnet.json');
