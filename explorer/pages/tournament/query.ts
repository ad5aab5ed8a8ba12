import { useSearch } from 'wouter';
import { forwardPageArguments } from '../../data/paging.ts';
import { graphql } from '../../graph/documents.ts';
import { useGraph } from '../../graph/use-graph.ts';

const TOURNAMENT = graphql(`
  query Tournament($first: Int, $after: String) {
    alive: wizards(first: 100, orderBy: POWER_DESC, filter: { status: ALIVE }) {
      totalCount
      nodes {
        id affinity power
        owner { address label balanceIn }
        record { won lost drawn }
      }
    }
    eliminated: wizards(first: 100, orderBy: ID_DESC, filter: { status: ELIMINATED }) { totalCount nodes { id affinity } }
    duels(first: 12, orderBy: START_BLOCK_DESC, filter: { excludeFinished: true }) {
      totalCount
      nodes {
        id startBlockNumber timeoutBlockNumber startBlock { hash }
        wizard1Id wizard2Id affinity1 affinity2
      }
    }
    finished: duels(first: $first, after: $after, orderBy: START_BLOCK_DESC, filter: { excludeInProgress: true }) {
      totalCount
      pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
      nodes { id timedOut powerChange1 startBlockNumber endBlockNumber winner { id } endBlock { hash } wizard1Id wizard2Id affinity1 affinity2 }
    }
  }
`);

export const useTournament = () => useGraph(TOURNAMENT, forwardPageArguments(useSearch(), 'finished', 8), { live: true });
