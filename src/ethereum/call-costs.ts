// The cost of calls to the node, where the cost of a small call, such as a balance, is 1. The estimate before
// execution, the weights of routers and the count during execution share these values.

/** Cost of the most expensive calls, which return a whole block. */
export const WHOLE_BLOCK_COST = 20;
/**
 * Cost of a receipt fetched as one of a whole block: the receipts of a block with 200 transactions have an equal cost
 * by one call or by 200 calls.
 */
export const RECEIPT_IN_BLOCK_COST = 0.1;
/** Cost of a log search over a range: the node reads an index over many blocks. */
export const LOG_SEARCH_COST = 20;
/** Cost of the logs of one block, which are about a twelfth of the node's work for its receipts. */
export const BLOCK_LOGS_COST = 2;
/** Cost of an executed contract call, whose code the request chooses: up to the gas limit of the node. */
export const CALL_EXECUTION_COST = 10;
/** Cost of a block of a simulation, without its calls. The first block has no cost of its own. */
export const SIMULATED_BLOCK_COST = 1;
/** Cost of the trace of a transaction: the node executes the transactions of its block again, up to it. */
export const TRACE_COST = 20;
/** Maximum cost of the trace of a block: that of 200 transactions, so that the default of MAX_COST permits one of any block. */
export const MAX_BLOCK_TRACE_COST = 4_000;
/** Cost of a gas estimate: the node executes the call several times. */
export const GAS_ESTIMATE_COST = 20;
/**
 * Cost of an address or topic in a log filter, or of 32 bytes of call data or of a state override, for each call that
 * carries it: it takes 0.5 us of CPU, a small call 14 us.
 */
export const FILTER_VALUE_COST = 0.03;
/** Cost of the proof of an account: the node reads about eight trie nodes. */
export const PROOF_COST = 2;
/** Cost of the proof of a storage slot. */
export const STORAGE_PROOF_COST = 0.5;
