import { kindOf } from '../../data/search-text.ts';
import { graphql } from '../../graph/documents.ts';
import { useGraph } from '../../graph/use-graph.ts';

const DUEL = graphql(`
  fragment FoundDuel on Query @_unmask {
    duel(id: $text) @include(if: $isHash) { id }
  }
`);
const WIZARD = graphql(`
  fragment FoundWizard on Query @_unmask {
    wizard(id: $text) @include(if: $isNumber) { id }
  }
`);
const SEARCH = graphql(
  `
  query Search($number: Long, $hash: Bytes32, $transaction: Bytes32!, $text: ID!, $isHash: Boolean!, $isNumber: Boolean!) {
    block(number: $number, hash: $hash) { number hash }
    transaction(hash: $transaction) @include(if: $isHash) { hash }
    ...FoundDuel
    ...FoundWizard
  }
`,
  [DUEL, WIZARD],
);

const NO_HASH = `0x${'0'.repeat(64)}` as const;

/** Everything that has a number or a hash: a block, a transaction, a duel, a wizard. */
export const useSearch = (text: string) => {
  const isHash = kindOf(text) === 'hash';
  const key = text.toLowerCase() as `0x${string}`;
  const block = { [isHash ? 'hash' : 'number']: key };
  return useGraph(SEARCH, { ...block, transaction: isHash ? key : NO_HASH, text: key, isHash, isNumber: !isHash });
};
