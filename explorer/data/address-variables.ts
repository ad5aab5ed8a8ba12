import { pageVariables } from './paging.ts';

/** Number of entries of a page of each list of an account; the value of `first` in the operation. */
const PAGE_SIZE = 12;

/** The lists of the page of an account: the first letters of their variables, and their parameters of the URL. */
const LISTS = { tx: 'transactions', in: 'received', out: 'sent', log: 'events' };

/** The topic of `Transfer(address,address,uint256)`. */
const TRANSFER: `0x${string}`[] = ['0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'];

/** The variables of the page of an account: its address, the topics of its token transfers, and the pages of its lists. */
export function addressVariables(text: string, search: string) {
  const address = text.toLowerCase() as `0x${string}`;
  const party: `0x${string}`[] = [`0x${address.slice(2).padStart(64, '0')}`];
  return {
    address,
    in: [TRANSFER, [], party],
    out: [TRANSFER, party],
    ...pageVariables(search, LISTS, PAGE_SIZE),
  };
}
