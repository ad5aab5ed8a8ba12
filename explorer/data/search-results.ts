import { shortHex } from '@grimoire/client';
import type { DevnetDescription } from '../../devnet/src/description.ts';
import { formatInteger } from '../components/format.ts';
import type { SearchData } from '../pages/search/query.ts';
import { matchingNames, type SearchText } from './search-text.ts';

interface SearchResult {
  readonly path: string;
  readonly title: string;
}

const blockResult = (number: string): SearchResult => ({
  path: `/block/${Number(number)}`,
  title: `Block ${formatInteger(number)}`,
});

/** The pages of what a text may mean. `network` describes the embedded network; nullish over another node. */
export function resultsOf(
  data: SearchData,
  text: string,
  search: SearchText,
  network: DevnetDescription | null | undefined,
): readonly SearchResult[] {
  if (search.kind === 'name') return namedResults(data, search.text, network);
  if (search.kind === 'shortened') return shortenedResults(data, search.start, search.end, network);
  const block = data.numbered ?? data.block;
  return [
    block && blockResult(block.number),
    data.transaction && { path: `/tx/${data.transaction.hash}`, title: 'Transaction' },
    data.duel && { path: `/duel/${data.duel.id}`, title: 'Duel' },
    data.wizard && { path: `/wizard/${data.wizard.id}`, title: `Wizard ${data.wizard.id}` },
    data.token && { path: `/token/${data.token.address}`, title: `Token ${data.token.symbol ?? data.token.name ?? ''}` },
    search.kind === 'address' && !data.token && { path: `/address/${text.slice(-42).toLowerCase()}`, title: 'Account' },
  ].flatMap((result) => result || []);
}

/** The accounts that the explorer can name: those of the embedded network, and those of the last transactions. */
function knownAccounts({ active }: SearchData, network: DevnetDescription | null | undefined) {
  const parties = (active ?? []).flatMap(({ transactions }) =>
    (transactions ?? []).flatMap(({ from, to }) => [from, to ?? []].flat()),
  );
  const names = new Map<string, string | null>(parties.map(({ address, label }) => [address, label]));
  for (const { address, name } of network?.accounts ?? []) names.set(address, name);
  if (network) names.set(network.tournament.address, 'Tournament');
  return [...names].map(([address, name]) => ({ address, name }));
}

function namedResults(data: SearchData, text: string, network: DevnetDescription | null | undefined) {
  const tokens = data.known?.tokenBalances?.map(({ token }) => token) ?? [];
  const tokenAddresses = new Set<string>(tokens.map(({ address }) => address));
  const entries = [
    ...tokens.map(({ address, symbol, name }) => ({
      names: [symbol, name],
      path: `/token/${address}`,
      title: `Token ${[symbol, name].filter(Boolean).join(', ')}`,
    })),
    ...knownAccounts(data, network)
      .filter(({ address }) => !tokenAddresses.has(address))
      .map(({ address, name }) => ({ names: [name], path: `/address/${address}`, title: `Account ${name}` })),
  ];
  return matchingNames(entries, text);
}

function shortenedResults(data: SearchData, start: string, end: string, network: DevnetDescription | null | undefined) {
  const entries = [
    ...(data.duels?.nodes ?? []).flatMap((duel) =>
      duel ? { id: duel.id, path: `/duel/${duel.id}`, title: `Duel of wizards ${duel.wizard1Id} and ${duel.wizard2Id}` } : [],
    ),
    ...(data.recent ?? []).flatMap(({ hash, number, transactionHashes }) => [
      { id: hash, ...blockResult(number) },
      ...(transactionHashes ?? []).map((id) => ({ id, path: `/tx/${id}`, title: `Transaction ${shortHex(id, 8)}` })),
    ]),
    ...(network?.accounts ?? []).map(({ address, name }) => ({
      id: address,
      path: `/address/${address}`,
      title: `Account ${name}`,
    })),
  ];
  return entries.filter(({ id }) => id.startsWith(start) && id.endsWith(end));
}
