import { type SearchText, searchVariables } from '../../data/search-text.ts';
import { graphql } from '../../graph/documents.ts';
import { useGraph } from '../../graph/use-graph.ts';

const TOURNAMENT = graphql(`
  fragment FoundTournament on Query @_unmask {
    duel(id: $id) @include(if: $isHash) { id }
    wizard(id: $id) @include(if: $isNumber) { id }
    duels(first: 500, orderBy: START_BLOCK_DESC) @include(if: $isDuel) { nodes { id wizard1Id wizard2Id } }
  }
`);
const TOKENS = graphql(`
  fragment FoundTokens on Query @_unmask {
    token(address: $address) @include(if: $isAddress) { address symbol name }
    known: account(address: $address) @include(if: $isText) { tokenBalances { token { address symbol name } } }
  }
`);
const SEARCH = graphql(
  `
  query Search(
    $number: Long, $hash: Bytes32!, $address: Address!, $id: ID!
    $isNumber: Boolean!, $isHash: Boolean!, $isAddress: Boolean!, $isText: Boolean!, $isDuel: Boolean!
  ) {
    numbered: block(number: $number) @include(if: $isNumber) { number }
    block(hash: $hash) @include(if: $isHash) { number }
    transaction(hash: $hash) @include(if: $isHash) { hash }
    ...FoundTournament
    ...FoundTokens
  }
`,
  [TOURNAMENT, TOKENS],
);

/** Everything that a text may mean, in one operation. */
export const useSearch = (text: string, search: SearchText) => useGraph(SEARCH, searchVariables(text, search));
