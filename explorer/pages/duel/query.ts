import { graphql } from '../../graph/documents.ts';
import { useGraph } from '../../graph/use-graph.ts';

const DUEL = graphql(`
  query Duel($id: ID!) {
    duel(id: $id) {
      id status wizard1Id wizard2Id timedOut isAscensionBattle timeoutBlockNumber
      startBlock { number timestamp hash }
      endBlock { number timestamp }
      rounds { index move1 move2 winner { id } }
      winner { id }
      affinity1 startPower1 endPower1 powerChange1
      affinity2 startPower2 endPower2 powerChange2
      wizard1 { id affinity power owner { address label balanceIn } }
      wizard2 { id affinity power owner { address label balanceIn } }
    }
  }
`);

/** A duel. A reorg may also undo its end. */
export const useDuel = (id: string) => useGraph(DUEL, { id }, { live: true });
