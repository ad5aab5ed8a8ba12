import type { ReactNode } from 'react';
import { Link, useRoute } from 'wouter';
import { playgroundUrl } from '../graph/endpoint.ts';
import { useLive } from '../graph/live.tsx';
import mark from '../mark.svg';
import { formatInteger } from './format.ts';
import { Search } from './search.tsx';

/** The header of every page, and the notice of a reorg. */
export function Layout({ children }: { readonly children: ReactNode }) {
  return (
    <>
      <header className="top">
        <Link href="/" className="brand">
          <img src={mark} alt="" width="26" height="26" />
          Grimoire
        </Link>
        <nav aria-label="Pages">
          <NavigationLink href="/">Chain</NavigationLink>
          <NavigationLink href="/tournament">Tournament</NavigationLink>
          <a href={playgroundUrl}>Playground</a>
        </nav>
        <Search />
        <HeadStatus />
      </header>
      <ReorgNotice />
      {children}
      <footer>
        Every page is one GraphQL operation, at one block. <b>Show the query</b> opens it in the playground.
      </footer>
    </>
  );
}

function NavigationLink({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  const [isActive] = useRoute(href);
  return (
    <Link href={href} aria-current={isActive ? 'page' : undefined}>
      {children}
    </Link>
  );
}

function HeadStatus() {
  const { head, isConnected } = useLive();
  return (
    <p className={isConnected ? 'head-status connected' : 'head-status'} role="status">
      <i aria-hidden="true" />
      {isConnected ? (head ? `block ${formatInteger(head.number)}` : 'live') : 'connecting'}
    </p>
  );
}

function ReorgNotice() {
  const { reorg } = useLive();
  if (!reorg) return null;
  const { depth, from, added } = reorg;
  return (
    <p className="reorg" role="alert">
      <b>Reorg:</b> {depth === 1 ? `block ${from} was removed` : `${depth} blocks from ${from} on were removed`}, {added} took
      {depth === 1 ? ' its' : ' their'} place.
    </p>
  );
}
