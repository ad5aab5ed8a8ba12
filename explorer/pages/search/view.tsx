import { Link } from 'wouter';
import { formatInteger } from '../../components/format.ts';
import { Page, PlainPage } from '../../components/page.tsx';
import { Problem } from '../../components/problem.tsx';
import { Redirect } from '../../components/redirect.tsx';
import { matchingTokens, parseSearch, type SearchText } from '../../data/search-text.ts';
import { useSearch } from './query.ts';

type SearchData = NonNullable<NonNullable<ReturnType<typeof useSearch>['response']>['data']>;

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
    <Link href="/tokens">token</Link>, or <code>wizard 43</code>.
  </>
);

function Results({ text, search }: { readonly text: string; readonly search: SearchText }) {
  return (
    <Page kind="Search" title={text} query={useSearch(text, search)}>
      {(data, { errors }) => {
        const results = resultsOf(data, text, search);
        const [only] = results;
        if (only && results.length === 1 && errors.length === 0) return <Redirect to={only.path} />;
        if (results.length === 0)
          return errors.length > 0 ? null : (
            <Problem kind="not-found" title="Nothing was found">
              Nothing has this number, hash, id, symbol or name. <SearchHelp />
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

function resultsOf(data: SearchData, text: string, search: SearchText) {
  const block = data.numbered ?? data.block;
  const tokens = data.known?.tokenBalances?.map(({ token }) => token) ?? [];
  const duels = search.kind === 'duel' ? (data.duels?.nodes ?? []) : [];
  const account = search.kind === 'address' && !data.token && { path: `/address/${text.slice(-42)}`, title: 'Account' };
  return [
    block && { path: `/block/${Number(block.number)}`, title: `Block ${formatInteger(block.number)}` },
    data.transaction && { path: `/tx/${data.transaction.hash}`, title: 'Transaction' },
    data.duel && { path: `/duel/${data.duel.id}`, title: 'Duel' },
    data.wizard && { path: `/wizard/${data.wizard.id}`, title: `Wizard ${data.wizard.id}` },
    data.token && { path: `/token/${data.token.address}`, title: `Token ${data.token.symbol ?? data.token.name ?? ''}` },
    account,
    ...(search.kind === 'token' ? matchingTokens(tokens, search.text) : []).map(({ address, symbol, name }) => ({
      path: `/token/${address}`,
      title: `Token ${[symbol, name].filter(Boolean).join(', ')}`,
    })),
    ...duels
      .flatMap((duel) => duel ?? [])
      .filter(({ id }) => search.kind === 'duel' && id.startsWith(search.start) && id.endsWith(search.end))
      .map(({ id, wizard1Id, wizard2Id }) => ({ path: `/duel/${id}`, title: `Duel of wizards ${wizard1Id} and ${wizard2Id}` })),
  ].flatMap((result) => result || []);
}
