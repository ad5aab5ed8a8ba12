import { pageVariables } from './paging.ts';

/** Number of transactions, and of events, of a page of an account. */
const PAGE_SIZE = 12;

/** The variables of the page of an account: its address, as the topic of events, too, and the pages of its lists. */
export function addressVariables(text: string, search: string) {
  const address = text.toLowerCase() as `0x${string}`;
  const sent = [`0x${address.slice(2).padStart(64, '0')}` as const];
  return { address, sent, ...pageVariables(search, { tx: 'transactions', log: 'events' }, PAGE_SIZE) };
}
