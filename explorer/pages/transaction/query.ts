import { graphql } from '../../graph/documents.ts';
import { useGraph } from '../../graph/use-graph.ts';

const TOKENS = graphql(`
  fragment AccountToken on Account @_unmask {
    token { address symbol decimals logo }
  }
`);

const TRANSACTION = graphql(
  `
  query Transaction($hash: Bytes32!) {
    transaction(hash: $hash) {
      hash type nonce index valueIn state status confirmations gas gasUsed effectiveGasPrice
      maxFeePerGas maxPriorityFeePerGas blobGasUsed blobGasPrice revertReason inputData
      from { address label }
      to { address label ...AccountToken }
      createdContract { address label }
      block { number hash timestamp finalized }
      decoded { signature standard arguments { name type value account { address label } } }
      logs {
        id index topics data
        account { address label ...AccountToken }
        decoded { name signature standard arguments { name type value account { address label } } }
      }
    }
  }
`,
  [TOKENS],
);

export const useTransaction = (hash: string) =>
  useGraph(TRANSACTION, { hash: hash as `0x${string}` }, { live: (data) => data?.transaction?.block?.finalized !== true });
