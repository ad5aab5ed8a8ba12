import type { MouseEvent } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { adjacentPages, type PageInfo } from '../data/paging.ts';
import { formatInteger } from './format.ts';

interface PagerProps {
  /** Parameter of the URL. */
  readonly name: string;
  readonly pageInfo: PageInfo | null | undefined;
  /** Whether the connection has only `first` and `after`. */
  readonly isForward?: boolean;
  /** Height at which the search for the list ends: above 0, the node has pruned the blocks before it. @default 0 */
  readonly fromBlock?: number;
}

/** Links to the newer and the older page of a list. */
export function Pager({ name, pageInfo, isForward = false, fromBlock = 0 }: PagerProps) {
  const [path] = useLocation();
  const search = useSearch();
  const parameters = new URLSearchParams(search);
  if (!pageInfo) return null;
  const { older, newer } = adjacentPages(pageInfo, !parameters.has(name), isForward);
  const isPruned = older === undefined && fromBlock > 0;
  if (older === undefined && newer === undefined && !isPruned) return null;
  const link = (page: string | null): string => {
    const next = new URLSearchParams(search);
    next.delete(name);
    if (page !== null) next.set(name, page);
    return `${path}${next.size > 0 ? `?${next}` : ''}`;
  };
  const showStart = ({ currentTarget }: MouseEvent<HTMLAnchorElement>) => currentTarget.closest('section')?.scrollIntoView();
  return (
    <nav className="pager" aria-label={`Pages: ${name}`}>
      {newer !== undefined && (
        <Link href={link(newer)} onClick={showStart}>
          ← {newer === null ? 'Newest' : 'Newer'}
        </Link>
      )}
      {older !== undefined && (
        <Link href={link(older)} onClick={showStart}>
          Older →
        </Link>
      )}
      {isPruned && <small>Starts at block {formatInteger(fromBlock)}: the node has pruned older ones.</small>}
    </nav>
  );
}
