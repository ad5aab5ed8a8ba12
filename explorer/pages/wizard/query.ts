import { useSearch } from 'wouter';
import { forwardPageArguments } from '../../data/paging.ts';
import { graphql } from '../../graph/documents.ts';
import { useGraph } from '../../graph/use-graph.ts';

const WIZARD = graphql(`
  query Wizard($id: ID!, $first: Int, $after: String) {
    wizard(id: $id) {
      id affinity power initialPower powerChange status
      record { duels won lost drawn timedOut }
      createdBlock { number timestamp }
      eliminatedBlock { number timestamp }
      owner { address label balanceIn wizards { totalCount } }
      activeDuel { id wizard1Id wizard2Id affinity1 affinity2 }
      duels(first: $first, after: $after, orderBy: START_BLOCK_DESC) {
        totalCount
        pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
        nodes {
          id status timedOut startBlockNumber endBlockNumber powerChange1 powerChange2
          wizard1Id wizard2Id affinity1 affinity2
          startBlock { hash }
          winner { id }
        }
      }
    }
  }
`);

export const useWizard = (id: string) =>
  useGraph(WIZARD, { id, ...forwardPageArguments(useSearch(), 'duels', 20) }, { live: true });
