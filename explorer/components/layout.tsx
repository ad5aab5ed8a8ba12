import { type ReactNode, useEffect } from 'react';
import { Link, useRoute } from 'wouter';
import { describeConnection } from '../data/connection.ts';
import { useTournamentDomain } from '../data/tournament-domain.ts';
import { playgroundUrl } from '../graph/endpoint.ts';
import { useLive } from '../graph/live.tsx';
import mark from '../mark.svg';
import { useSeconds } from './age.tsx';
import { ChainSwitch } from './chain-switch.tsx';
import { formatInteger } from './format.ts';
import { Search } from './search.tsx';

/** The header of every page, and the notice of a reorg. */
export function Layout({ children }: { readonly children: ReactNode }) {
  const hasTournament = useTournamentDomain();
  useEffect(startPagesAtTop, []);
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
          {hasTournament !== false && (
            <NavigationLink href="/tournament" isHidden={hasTournament === undefined}>
              Tournament
            </NavigationLink>
          )}
          <a href={playgroundUrl}>Playground</a>
          <a href={`${playgroundUrl}docs/`}>Docs</a>
        </nav>
        <ChainSwitch />
        <Search />
        <HeadStatus />
      </header>
      <ReorgNotice />
      {children}
      <footer>
        Every page is one GraphQL operation, at one block of each chain. <b>Show the query</b> opens it in the playground.
      </footer>
    </>
  );
}

/** Scrolls to the top of each page that a link opens. The browser restores the position of a page of its history. */
function startPagesAtTop(): () => void {
  let path = location.pathname;
  // The router emits an event for each call of the history. A page of a list scrolls to its list.
  const onNavigation = ({ type }: Event) => {
    if (type === 'pushState' && location.pathname !== path) scrollTo(0, 0);
    path = location.pathname;
  };
  const types = ['pushState', 'replaceState', 'popstate'];
  for (const type of types) addEventListener(type, onNavigation);
  return () => {
    for (const type of types) removeEventListener(type, onNavigation);
  };
}

interface NavigationLinkProps {
  readonly href: string;
  /** Whether it only takes its place, so that the others do not move later. */
  readonly isHidden?: boolean;
  readonly children: ReactNode;
}

function NavigationLink({ href, isHidden = false, children }: NavigationLinkProps) {
  const [isActive] = useRoute(href);
  return (
    <Link href={href} aria-current={isActive ? 'page' : undefined} className={isHidden ? 'unknown' : ''}>
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
