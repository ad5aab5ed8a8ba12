import { expect, test } from '@jest/globals';
import { domains } from '../../../src/app/installed-domains.ts';
import { composeSchema } from '../../../src/graphql/federation/compose.ts';
import { readOperation, validationProblems } from '../../../src/mcp/operation-check.ts';
import { LIMITS } from '../../support/graph/toy-server.ts';

const schema = composeSchema(domains);
const problemsOf = (query: string) => validationProblems(schema, readOperation(query, undefined).document, LIMITS);

const ADDRESS = '0x00000000000000000000000000000000000000aa';

test.each([
  ['1,000 equal fields', `{ block { ${'number '.repeat(1_000)} } }`],
  ['500 equal fields with selections', `{ block { ${'parent { number } '.repeat(500)} } }`],
  ['500 equal fields with arguments', `{ block { ${`account(address: "${ADDRESS}") { balance } `.repeat(500)} } }`],
])('a document with %s has no problem', (_case, query) => {
  expect(problemsOf(query)).toEqual([]);
});

test('each problem has its message, its position and its code, and at most ten are returned', () => {
  expect(problemsOf('{ block { number: hash number } }')).toEqual([
    {
      message: expect.stringContaining('"hash" and "number" are different fields'),
      locations: [
        { line: 1, column: 11 },
        { line: 1, column: 24 },
      ],
      extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
    },
  ]);
  expect(problemsOf(`{ ${'unknown '.repeat(50)} }`)).toHaveLength(10);
});

test('a document whose fragments expand to more selections than the graph accepts is QUERY_TOO_COMPLEX', () => {
  const levels = Array.from(
    { length: 30 },
    (_, i) => `fragment F${i} on Block { a: parent { ...F${i + 1} } b: parent { ...F${i + 1} } }`,
  );
  const query = `{ block { ...F0 } } ${levels.join(' ')} fragment F30 on Block { number }`;
  expect(() => problemsOf(query)).toThrow(expect.objectContaining({ code: 'QUERY_TOO_COMPLEX' }));
});
