import { beforeEach, describe, expect, test } from '@jest/globals';
import { GraphQLError, type OperationDefinitionNode, parse } from 'graphql';
import type { Operation } from '../../../../src/graphql/domain.ts';
import { JsonText } from '../../../../src/graphql/executor/index.ts';
import { type CacheableRequest, createResponseCache } from '../../../../src/graphql/pipeline/response-cache.ts';

const operationOf = (text: string) => parse(text).definitions[0] as OperationDefinitionNode;
const query = operationOf('query ($n: Int) { a }');
const long = `{"a":"${'x'.repeat(5_000)}"}`;

let cachedResponses: Map<string, unknown>;
let head: string | undefined;
let responseCache: ReturnType<typeof createResponseCache>;

beforeEach(() => {
  cachedResponses = new Map();
  head = '0xa';
  responseCache = createResponseCache({
    scopeOf: () => head,
    get: (key) => cachedResponses.get(key),
    set: (key, value) => void cachedResponses.set(key, value),
  });
});

const running = (changes: Partial<Operation> = {}): Operation => ({
  requestId: 'test',
  signal: new AbortController().signal,
  extensions: {},
  isVolatile: false,
  ...changes,
});
const createRequest = (changes: Partial<CacheableRequest> = {}): CacheableRequest => ({
  operation: query,
  queryHash: 'q',
  operationName: undefined,
  variables: { n: 1 },
  operationState: running(),
  ...changes,
});

test('the same question at the same head is answered with the same text and the same block', () => {
  const block = { number: '0x1', hash: '0xa', parentHash: '0x9' };
  responseCache.storeIfCacheable(createRequest({ operationState: running({ extensions: { block } }) }), {
    data: new JsonText(long),
  });
  const again = createRequest();
  expect(responseCache.find(again)?.data?.text).toBe(long);
  expect(again.operationState.extensions).toEqual({ block });
});

describe('another question is not answered so:', () => {
  test.each<[string, Partial<CacheableRequest>]>([
    ['other variables', { variables: { n: 2 } }],
    ['no variables', { variables: undefined }],
    ['another document', { queryHash: 'r' }],
    ['another operation of the document', { operationName: 'B' }],
  ])('%s', (_case, changes) => {
    responseCache.storeIfCacheable(createRequest(), { data: new JsonText(long) });
    expect(responseCache.find(createRequest(changes))).toBeUndefined();
  });

  test('the same at another head, or while the head is not known', () => {
    responseCache.storeIfCacheable(createRequest(), { data: new JsonText(long) });
    for (const now of ['0xb', undefined]) {
      head = now;
      expect(responseCache.find(createRequest())).toBeUndefined();
    }
  });
});

describe('is not kept:', () => {
  test.each<[string, Partial<CacheableRequest>, Parameters<typeof responseCache.storeIfCacheable>[1]]>([
    ['what has read something that changes', { operationState: running({ isVolatile: true }) }, { data: new JsonText(long) }],
    ['what has failed in part', {}, { data: new JsonText(long), errors: [new GraphQLError('no')] }],
    ['nothing at all', {}, { data: null }],
    ['a short answer', {}, { data: new JsonText('{"a":1}') }],
    ['a mutation', { operation: operationOf('mutation { a }') }, { data: new JsonText(long) }],
    ['an answer under long variables', { variables: { n: 'x'.repeat(2_000) } }, { data: new JsonText(long) }],
    [
      'an answer of another head than there is now',
      { operationState: running({ extensions: { block: { hash: '0x9' } } }) },
      { data: new JsonText(long) },
    ],
  ])('%s', (_case, changes, result) => {
    responseCache.storeIfCacheable(createRequest(changes), result);
    expect(cachedResponses.size).toBe(0);
    expect(responseCache.find(createRequest(changes))).toBeUndefined();
  });
});
