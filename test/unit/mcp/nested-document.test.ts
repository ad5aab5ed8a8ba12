import { expect, test } from '@jest/globals';
import { readOperation } from '../../../src/mcp/graph-schema.ts';

test('a document that is nested too deeply to be parsed is too complex, as in the graph', () => {
  expect(() => readOperation('{ a '.repeat(9_900), undefined)).toThrow(expect.objectContaining({ code: 'QUERY_TOO_COMPLEX' }));
});
