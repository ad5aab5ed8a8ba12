import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { type Block, JsonRpcProvider, type Log, type TransactionReceipt, type TransactionResponse } from 'ethers';
import { GraphQLScalarType } from 'graphql';
import { typeDefs } from './schema.ts';

// Common practice: Apollo Server's standalone server over an ethers provider, both with their defaults (ethers waits 10 ms to fill a
// batch and caches equal calls for 250 ms), one resolver per field, no loaders.

type Account = { readonly address: string };

const provider = new JsonRpcProvider(process.env.RPC_URL);

const resolvers = {
  Long: new GraphQLScalarType({
    name: 'Long',
    serialize: (value) => (typeof value === 'string' ? value : `0x${(value as number | bigint).toString(16)}`),
  }),
  Address: new GraphQLScalarType({ name: 'Address', serialize: (value) => (value as string).toLowerCase() }),
  Query: {
    block: (_: unknown, { number }: { number: number }) => provider.getBlock(number),
    blocks: (_: unknown, { from, to }: { from: number; to: number }) =>
      Array.from({ length: to - from + 1 }, (_, i) => provider.getBlock(from + i)),
    account: (_: unknown, { address }: Account) => ({ address }),
  },
  Block: {
    transactions: (block: Block) => block.transactions.map((hash) => provider.getTransaction(hash)),
  },
  Transaction: {
    from: ({ from }: TransactionResponse) => ({ address: from }),
    to: ({ to }: TransactionResponse) => to && { address: to },
    gas: ({ gasLimit }: TransactionResponse) => gasLimit,
    inputData: ({ data }: TransactionResponse) => data,
    v: ({ signature }: TransactionResponse) => signature.yParity,
    yParity: ({ signature }: TransactionResponse) => signature.yParity,
    receipt: ({ hash }: TransactionResponse) => provider.getTransactionReceipt(hash),
    logs: async ({ hash }: TransactionResponse) => (await provider.getTransactionReceipt(hash))?.logs,
  },
  Receipt: {
    effectiveGasPrice: ({ gasPrice }: TransactionReceipt) => gasPrice,
  },
  Log: {
    account: ({ address }: Log) => ({ address }),
  },
  Account: {
    balance: ({ address }: Account) => provider.getBalance(address),
    transactionCount: ({ address }: Account) => provider.getTransactionCount(address),
    code: ({ address }: Account) => provider.getCode(address),
  },
};

const { url } = await startStandaloneServer(new ApolloServer({ typeDefs, resolvers }), {
  listen: { port: 0, host: '127.0.0.1' },
});
process.stdout.write(`graph ${url}graphql\n`);
