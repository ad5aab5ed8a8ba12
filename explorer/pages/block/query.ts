import { graphql } from '../../graph/documents.ts';
import { useGraph } from '../../graph/use-graph.ts';

const DUELS = graphql(`
  fragment BlockDuels on Block @_unmask {
    duelsStarted(first: 20) { nodes { id wizard1Id wizard2Id affinity1 affinity2 } }
    duelsEnded(first: 20) { nodes { id wizard1Id wizard2Id affinity1 affinity2 winner { id } } }
  }
`);

const BLOCK = graphql(
  `
  query Block($number: Long, $hash: Bytes32) {
    block(number: $number, hash: $hash) {
      number hash parentHash timestamp confirmations finalized
      gasUsed gasLimit baseFeePerGas nextBaseFeePerGas size stateRoot extraData
      miner { address label }
      transactions {
        hash valueIn status gasUsed effectiveGasPrice decoded { name }
        from { address label } to { address label } createdContract { address label }
      }
      ...BlockDuels
    }
  }
`,
  [DUELS],
);

/** A block by its height, which is accepted in base 10, or by its hash. Its status changes until it is final. */
export const useBlock = (id: string) =>
  useGraph(
    BLOCK,
    { [id.startsWith('0x') ? 'hash' : 'number']: id as `0x${string}` },
    {
      live: (data) => data?.block?.finalized !== true,
    },
  );
