import { type GraphQLSchema, getOperationAST, OperationTypeNode, parse } from 'graphql';
import type { ChainData } from '../../proofs/fuzz/chain-data.ts';
import { createOperationGenerator } from '../../proofs/fuzz/operations.ts';
import type { TestDocument } from '../../support/graph/test-documents.ts';
import { createRandomChoices } from '../../support/random-choices.ts';

/** An integer above 2^53 outside of a string, which no router passes on unchanged. */
const LARGE_INTEGER = /(?<![\w"])\d{16,}(?![\w"])/;

/** Generates valid queries that select no introspection fields and pass `isComparable`. */
export function generateQueries(
  schema: GraphQLSchema,
  chain: ChainData,
  { seed, count }: { readonly seed: number; readonly count: number },
  isComparable: (query: string) => boolean,
): TestDocument[] {
  const generate = createOperationGenerator(schema, chain);
  const queries: TestDocument[] = [];
  for (let i = 0; queries.length < count; i++) {
    const { query, variables, isWellFormed, operationName } = generate(createRandomChoices(Math.imul(seed + i, 0x9e3779b1)));
    if (!isWellFormed || operationName || query.includes('__schema') || LARGE_INTEGER.test(query + variables)) continue;
    if (getOperationAST(parse(query))?.operation !== OperationTypeNode.QUERY || !isComparable(query)) continue;
    queries.push({ query, variables: JSON.parse(variables) });
  }
  return queries;
}
