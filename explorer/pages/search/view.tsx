import { useEffect } from 'react';
import { Link, useLocation } from 'wouter';
import { formatInteger } from '../../components/format.ts';
import { Notice, Page } from '../../components/page.tsx';
import { searchPath } from '../../components/search.tsx';
import { kindOf } from '../../data/search-text.ts';
import { useSearch } from './query.ts';

/** `/explore/search/<text>`: goes to the only result, or lists the results. */
export function SearchPage({ text }: { readonly text: string }) {
  if (searchPath(text).startsWith('/address/')) return <Redirect to={searchPath(text)} />;
  if (kindOf(text) === null)
    return (
      <main>
        <Notice>
          <b>{text}</b> is no block number, hash, address or id. Enter digits, or 0x and 40 or 64 hexadecimal digits.
        </Notice>
      </main>
    );
  return <Results text={text} />;
}

function Redirect({ to }: { readonly to: string }) {
  const [, navigate] = useLocation();
  useEffect(() => navigate(to, { replace: true }), [navigate, to]);
  return null;
}

function Results({ text }: { readonly text: string }) {
  return (
    <Page kind="Search" title={text.length > 20 ? 'Results' : text} query={useSearch(text)}>
      {({ block, transaction, duel, wizard }, { errors }) => {
        const results = [
          block && { path: `/block/${Number(block.number)}`, title: `Block ${formatInteger(block.number)}` },
          transaction && { path: `/tx/${transaction.hash}`, title: 'Transaction' },
          duel && { path: `/duel/${duel.id}`, title: 'Duel' },
          wizard && { path: `/wizard/${wizard.id}`, title: `Wizard ${wizard.id}` },
        ].flatMap((result) => result || []);
        const [only] = results;
        if (only && results.length === 1 && errors.length === 0) return <Redirect to={only.path} />;
        if (results.length === 0) return <Notice>Nothing has this number, hash or id.</Notice>;
        return (
          <ul className="results">
            {results.map(({ path, title }) => (
              <li key={path}>
                <Link href={path}>{title}</Link>
              </li>
            ))}
          </ul>
        );
      }}
    </Page>
  );
}
