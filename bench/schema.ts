/** The part of our schema that the scenarios select, for the contenders that need one. */
export const typeDefs = `
  scalar Long
  scalar Address
  type Query { block(number: Long): Block, blocks(from: Long, to: Long): [Block!]!, account(address: Address!): Account! }
  type Block { number: Long!, hash: Long!, parentHash: Long!, timestamp: Long!, gasUsed: Long!, transactions: [Transaction!]! }
  type Transaction {
    hash: Long!, nonce: Long!, index: Long!, blockNumber: Long, from: Account!, to: Account, value: Long!, gas: Long!, gasPrice: Long!
    maxFeePerGas: Long, maxPriorityFeePerGas: Long, inputData: Long!, type: Long!, v: Long!, yParity: Long!
    receipt: Receipt, logs: [Log!]!
  }
  type Receipt { status: Long, gasUsed: Long!, cumulativeGasUsed: Long!, effectiveGasPrice: Long! }
  type Log { index: Long!, account: Account!, topics: [Long!]!, data: Long! }
  type Account { address: Address!, balance: Long!, transactionCount: Long!, code: Long! }
`;
