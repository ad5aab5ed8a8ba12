import { beforeEach, expect, test } from '@jest/globals';
import { GraphQLError, type OperationDefinitionNode, parse } from 'graphql';
import { JsonText, type SerializedResult } from '../../../src/graphql/executor/index.ts';
import type { Operation } from '../../../src/operation/operation.ts';
import { type CacheableRequest, createResponseCache, type ResponseCache } from '../../../src/operation/response-cache.ts';
import { ResponseDependencies } from '../../../src/operation/response-dependencies.ts';

const operationOf = (text: string) => parse(text).definitions[0] as OperationDefinitionNode;
const query = operationOf('query ($n: Int) { a }');
const long = `{"a":"${'x'.repeat(5_000)}"}`;

let cachedResponses: Map<string, unknown>;
let head: string | undefined;
let responseCache: ResponseCache;

beforeEach(() => {
  cachedResponses = new Map();
  head = '0xa';
  responseCache = createResponseCache({
    scopeOf: () => head,
    get: (key) => cachedResponses.get(key),
    set: (key, value) => void cachedResponses.set(key, value),
  });
});

const volatile = new ResponseDependencies();
volatile.addVolatile();

const running = (changes: Partial<Operation> = {}): Operation => ({
  requestId: 'test',
  signal: new AbortController().signal,
  extensions: {},
  dependencies: new ResponseDependencies(),
  ...changes,
});
const createRequest = (changes: Partial<CacheableRequest> = {}): CacheableRequest => ({
  operation: query,
  hash: 'q',
  variables: { n: 1 },
  ...changes,
});
const store = (request: CacheableRequest, result: SerializedResult = { data: new JsonText([long]) }, state = running()) =>
  responseCache.storeIfCacheable(request, state, result);

test('response cache returns the same text and block for the same request at the same head', () => {
  const block = { number: '0x1', hash: '0xa', parentHash: '0x9' };
  store(createRequest(), undefined, running({ extensions: { block } }));
  const again = running();
  expect(responseCache.find(createRequest(), again)?.data?.toString()).toBe(long);
  expect(again.extensions).toEqual({ block });
});

test('response cache returns the dependencies of the cached response', () => {
  const first = running();
  first.dependencies.addBlock('0x7', 7);
  store(createRequest(), undefined, first);
  const again = running();
  responseCache.find(createRequest(), again);
  expect(again.dependencies.hasBlock('0x7')).toBe(true);
});

test.each<[string, Partial<CacheableRequest>]>([
  ['other variables', { variables: { n: 2 } }],
  ['no variables', { variables: undefined }],
  ['another document', { hash: 'r' }],
  ['another operation of the document', { operation: operationOf('query B { a }') }],
])('response cache misses a request with %s', (_case, changes) => {
  store(createRequest());
  if (changes.operation) store(createRequest({ ...changes, hash: 'other' }));
  expect(responseCache.find(createRequest(changes), running())).toBeUndefined();
});

test.each([
  ['another head', '0xb'],
  ['an unknown head', undefined],
])('response cache misses the same request at %s', (_case, now) => {
  store(createRequest());
  head = now;
  expect(responseCache.find(createRequest(), running())).toBeUndefined();
});

test.each<[string, Partial<CacheableRequest>, SerializedResult, Partial<Operation>]>([
  ['of a volatile operation', {}, { data: new JsonText([long]) }, { dependencies: volatile }],
  ['with errors', {}, { data: new JsonText([long]), errors: [new GraphQLError('no')] }, {}],
  ['without data', {}, { data: null }, {}],
  ['that is short', {}, { data: new JsonText(['{"a":1}']) }, {}],
  ['of a mutation', { operation: operationOf('mutation { a }') }, { data: new JsonText([long]) }, {}],
  ['of a request with long variables', { variables: { n: 'x'.repeat(2_000) } }, { data: new JsonText([long]) }, {}],
  ['of an older head', {}, { data: new JsonText([long]) }, { extensions: { block: { hash: '0x9' } } }],
])('response cache does not cache a response %s', (_case, changes, result, state) => {
  store(createRequest(changes), result, running(state));
  expect(cachedResponses.size).toBe(0);
  expect(responseCache.find(createRequest(changes), running())).toBeUndefined();
});
