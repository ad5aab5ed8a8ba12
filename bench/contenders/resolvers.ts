import type { GraphQLSchema, SelectionNode } from 'graphql';
import { heightsOf, type Loaders, type Untyped, type Wire, type WireReceipt } from './loaders.ts';

type Resolver = (parent: Untyped, args: Untyped, context: Loaders, info: Untyped) => unknown;

/** Whether a field selects the transactions of its blocks, so that one call reads both. */
const selectsTransactions = ({ fieldNodes }: { readonly fieldNodes: readonly Untyped[] }): boolean =>
  fieldNodes.some(({ selectionSet }) =>
    selectionSet?.selections.some(
      (selection: SelectionNode) => selection.kind === 'Field' && selection.name.value === 'transactions',
    ),
  );

const accountOf = (address: string | null) => (address ? { address } : null);

/** Resolvers with DataLoader, as the documentation of each executor recommends; a field without one has the default resolver. */
export const resolvers: Readonly<Record<string, Readonly<Record<string, Resolver>>>> = {
  Query: {
    block: (_, { number }, loaders, info) => loaders.block(number, selectsTransactions(info)),
    blocks: (_, { from, to }, loaders, info) =>
      heightsOf(from, to).map((number) => loaders.block(number, selectsTransactions(info))),
    account: (_, { address }) => ({ address }),
  },
  Transaction: {
    index: ({ transactionIndex }: Wire) => transactionIndex,
    from: ({ from }: Wire) => accountOf(from!),
    to: ({ to }: Wire) => accountOf(to!),
    inputData: ({ input }: Wire) => input,
    receipt: (transaction: Wire, _, loaders) => loaders.receiptOf(transaction),
    logs: async (transaction: Wire, _, loaders) => (await loaders.receiptOf(transaction)).logs,
  },
  Log: {
    index: ({ logIndex }: WireReceipt['logs'][number]) => logIndex,
    account: ({ address }: Wire) => accountOf(address!),
  },
  Account: {
    balance: ({ address }: Wire, _, loaders) => loaders.ofAccount('eth_getBalance', address!),
    transactionCount: ({ address }: Wire, _, loaders) => loaders.ofAccount('eth_getTransactionCount', address!),
    code: ({ address }: Wire, _, loaders) => loaders.ofAccount('eth_getCode', address!),
  },
};

/** Adds the resolvers to a schema that was built from the type definitions. */
export function withResolvers<Schema extends Pick<GraphQLSchema, 'getType'>>(schema: Schema): Schema {
  for (const [type, fields] of Object.entries(resolvers)) {
    const ofType = (schema.getType(type) as Untyped).getFields();
    for (const [field, resolve] of Object.entries(fields)) ofType[field].resolve = resolve;
  }
  return schema;
}
