import { graphql } from '../../graph/documents.ts';
import { useGraph } from '../../graph/use-graph.ts';

const RUNNING = graphql(`
  fragment RunningDuels on Query @_unmask {
    duels(first: 4, orderBy: START_BLOCK_DESC, filter: { excludeFinished: true }) {
      totalCount
      nodes { id startBlockNumber timeoutBlockNumber wizard1Id wizard2Id affinity1 affinity2 }
    }
  }
`);

const HOME = graphql(
  `
  query Home {
    chainID
    maxPriorityFeePerGas
    head: block { nextBaseFeePerGas }
    finalized: block(tag: FINALIZED) { number }
    blocks(last: 40) { number hash timestamp gasUsed gasLimit baseFeePerGas transactionCount }
    recent: blocks(last: 6) {
      hash
      transactions { hash valueIn decoded { name } from { address label } to { address label } }
    }
    ...RunningDuels
  }
`,
  [RUNNING],
);

export const useHome = () => useGraph(HOME, {}, { live: true });
