import { Link } from 'wouter';
import { Page, PlainPage } from '../../components/page.tsx';
import { Problem } from '../../components/problem.tsx';
import { Redirect } from '../../components/redirect.tsx';
import { useEmbeddedNetwork } from '../../data/embedded-network.ts';
import { resultsOf } from '../../data/search-results.ts';
import { parseSearch, type SearchText } from '../../data/search-text.ts';
import { useSearch } from './query.ts';

/** `/explore/search/<text>`: goes to the only result, or lists the results. */
export function SearchPage({ text }: { readonly text: string }) {
  const search = parseSearch(text);
  if (search.kind === 'path') return <Redirect to={search.path} />;
  if (search.kind === 'invalid')
    return (
      <PlainPage title="Search">
        <Problem kind="invalid" title="Invalid search">
          <b>{text}</b> is neither a hash nor an address. <SearchHelp />
        </Problem>
      </PlainPage>
    );
  return <Results text={text} search={search} />;
}

const SearchHelp = () => (
  <>
    Enter a block number, a hash (0x and 64 hexadecimal digits), an address (0x and 40), the symbol or the name of a{' '}
    <Link href="/tokens">token</Link>, or <code>wizard 1</code>.
  </>
);

function Results({ text, search }: { readonly text: string; readonly search: SearchText }) {
  const network = useEmbeddedNetwork();
  return (
    <Page kind="Search" title={text} query={useSearch(text, search)}>
      {(data, { errors }) => {
        const results = resultsOf(data, text, search, network);
        if (results.length === 0 && network === undefined) return <p className="loading">Loading</p>;
        const [only] = results;
        if (only && results.length === 1 && errors.length === 0) return <Redirect to={only.path} />;
        if (results.length === 0)
          return errors.length > 0 ? null : (
            <Problem kind="not-found" title="Nothing was found">
              {search.kind === 'shortened'
                ? 'A shortened id is only found among the last 500 duels and the last 40 blocks with their transactions: search for the whole id. '
                : 'Nothing has this number, hash, id, symbol or name. '}
              <SearchHelp />
            </Problem>
          );
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
