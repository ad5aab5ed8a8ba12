/** Subscriptions to full pending transactions that nodes offer under a prefix of their own, in the order in which to try them. */
const BY_PREFIX = {
  svc: ['svc_newFullPendingTransactions'],
  alchemy: ['alchemy_pendingTransactions', 'alchemy_newFullPendingTransactions'],
  plain: [],
};

/** The subscriptions to try for a value of `NODE_METHODS`, before the standard `newPendingTransactions`. */
export const fullTransactionSubscriptions = (prefix: 'auto' | keyof typeof BY_PREFIX): readonly string[] =>
  prefix === 'auto' ? [...BY_PREFIX.svc, ...BY_PREFIX.alchemy] : BY_PREFIX[prefix];
