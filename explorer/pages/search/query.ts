import { type SearchText, searchVariables } from '../../data/search-text.ts';
import { graphql } from '../../graph/documents.ts';
import { useGraph } from '../../graph/use-graph.ts';

const TOURNAMENT = graphql(`
  fragment FoundTournament on Query @_unmask {
    duel(id: $id) @include(if: $isHash) { id }
    wizard(id: $id) @include(if: $isNumber) { id }
    duels(first: 500, orderBy: START_BLOCK_DESC) @include(if: $isShortened) { nodes { id wizard1Id wizard2Id } }
  }
`);
const TOKENS = graphql(`
  fragment FoundTokens on Query @_unmask {
    token(address: $address) @include(if: $isAddress) { address symbol name }
    known: account(address: $address) @include(if: $isName) { tokenBalances { token { address symbol name } } }
  }
`);
const SEARCH = graphql(
  `
  query Search(
    $number: Long, $hash: Bytes32!, $address: Address!, $id: ID!
    $isNumber: Boolean!, $isHash: Boolean!, $isAddress: Boolean!, $isName: Boolean!, $isShortened: Boolean!
  ) {
    numbered: block(number: $number) @include(if: $isNumber) { number }
    block(hash: $hash) @include(if: $isHash) { number }
    transaction(hash: $hash) @include(if: $isHash) { hash }
    recent: blocks(last: 40) @include(if: $isShortened) { number hash transactionHashes }
    active: blocks(last: 6) @include(if: $isName) { transactions { from { address label } to { address label } } }
    ...FoundTournament
    ...FoundTokens
  }
`,
  [TOURNAMENT, TOKENS],
);

/** Everything that a text may mean, in one operation. */
export const useSearch = (text: string, search: SearchText) => useGraph(SEARCH, searchVariables(text, search));

export type SearchData = NonNullable<NonNullable<ReturnType<typeof useSearch>['response']>['data']>;
