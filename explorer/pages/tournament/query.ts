import { graphql } from '../../graph/documents.ts';
import { useGraph } from '../../graph/use-graph.ts';

const TOURNAMENT = graphql(`
  query Tournament {
    wizards(first: 50, orderBy: POWER_DESC) {
      totalCount
      nodes {
        id affinity power powerChange status
        owner { address label balanceIn }
        record { won lost drawn }
      }
    }
    alive: wizards(first: 1, filter: { status: ALIVE }) { totalCount }
    duels(first: 12, orderBy: START_BLOCK_DESC, filter: { excludeFinished: true }) {
      totalCount
      nodes {
        id startBlockNumber timeoutBlockNumber startBlock { hash }
        wizard1Id wizard2Id affinity1 affinity2
      }
    }
    finished: duels(first: 8, orderBy: START_BLOCK_DESC, filter: { excludeInProgress: true }) {
      totalCount
      nodes { id timedOut endBlockNumber winner { id } endBlock { hash } wizard1Id wizard2Id affinity1 affinity2 }
    }
  }
`);

export const useTournament = () => useGraph(TOURNAMENT, {}, { live: true });
