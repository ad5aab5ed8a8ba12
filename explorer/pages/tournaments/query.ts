import { graphql } from '../../graph/documents.ts';
import { useGraph } from '../../graph/use-graph.ts';

const TOURNAMENTS = graphql(`
  query Tournaments {
    chains {
      chainID
      alive: wizards(first: 10, orderBy: POWER_DESC, filter: { status: ALIVE }) {
        totalCount
        nodes {
          id affinity power
          owner { address label balanceIn }
          record { won lost drawn }
        }
      }
      duels(first: 1, filter: { excludeFinished: true }) { totalCount }
    }
  }
`);

export const useTournaments = () => useGraph(TOURNAMENTS, {}, { live: true });
