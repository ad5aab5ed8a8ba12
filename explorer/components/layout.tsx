import type { ReactNode } from 'react';
import { Link, useRoute } from 'wouter';
import { describeConnection } from '../data/connection.ts';
import { useTournamentDomain } from '../data/tournament-domain.ts';
import { playgroundUrl } from '../graph/endpoint.ts';
import { useLive } from '../graph/live.tsx';
import mark from '../mark.svg';
import { useSeconds } from './age.tsx';
import { formatInteger } from './format.ts';
import { Search } from './search.tsx';

/** The header of every page, and the notice of a reorg. */
export function Layout({ children }: { readonly children: ReactNode }) {
  const hasTournament = useTournamentDomain();
  return (
    <>
      <header className="top">
        <Link href="/" className="brand">
          <img src={mark} alt="" width="26" height="26" />
          Grimoire
        </Link>
        <nav aria-label="Pages">
          <NavigationLink href="/">Chain</NavigationLink>
          <NavigationLink href="/tokens">Tokens</NavigationLink>
          {hasTournament && <NavigationLink href="/tournament">Tournament</NavigationLink>}
          <a href={playgroundUrl}>Playground</a>
          <a href={`${playgroundUrl}docs/`}>Docs</a>
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

/** The state of the server and of its node. The details change every second, so that a screen reader announces only the state. */
function HeadStatus() {
  const { head, connection } = useLive();
  const now = useSeconds() * 1000;
  const [state, detail] = describeConnection(connection, now, head && `block ${formatInteger(head.number)}`);
  return (
    <p className={`head-status ${connection.kind}`}>
      <i aria-hidden="true" />
      <b role="status">{state}</b>
      <span>{detail}</span>
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
