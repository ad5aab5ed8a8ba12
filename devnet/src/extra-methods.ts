/** Methods that the graph uses although the service description lacks them: without them it needs more calls or returns null. */
export const EXTRA_METHODS = [
  'eth_getBlockReceipts',
  'eth_syncing',
  'eth_feeHistory',
  'eth_maxPriorityFeePerGas',
  'eth_capabilities',
  'eth_simulateV1',
  'eth_createAccessList',
  'debug_traceTransaction',
];
