import type { RandomChoices } from '../../support/random-choices.ts';
import { bodyOf, KEYS, randomJson } from './bodies.ts';
import type { FuzzOperation } from './operations.ts';
import { type FuzzRequest, JSON_TYPE } from './requests.ts';

const METHODS = 'GET POST PUT PATCH DELETE HEAD OPTIONS PROPFIND SEARCH'.split(' ');
const PATHS = `/ /graphql /graphql/ //graphql /graphql? /graphql?query /graphql?query=% /graphql?query={chainID}
  /graphql?query={chainID}&variables={ /graphql?query=a&query=b&variables[]=1 /graphql?extensions=%00&query=%ff /%zz /%
  /healthz /readyz /readyz?x /devnet.json /assets/ /assets/../../package.json /assets/%2e%2e%2f%2e%2e%2fpackage.json
  /assets/%00 /__proto__ /constructor /index.html /favicon.ico /GraphQL /graphql;a=b /graphql#a`.split(/\s+/);
const HEADER_NAMES = `accept content-type origin accept-encoding apollo-require-preflight x-apollo-operation-name
  if-none-match range content-encoding x-request-id x-forwarded-for x-http-method-override cookie authorization
  access-control-request-method access-control-request-headers cache-control te forwarded traceparent
  accept-version`.split(/\s+/);
const HEADER_VALUES = [
  ...`* */* application/json application/graphql-response+json text/html text/plain multipart/mixed application/json;;;
    application/graphql null a/b;q=z application/x-www-form-urlencoded gzip https://other.example bytes=0-1,5- POST
    trailers 1.x`.split(/\s+/),
  ...['', 'application/json; charset=utf-16', 'multipart/form-data; boundary=x', 'br, *;q=0', 'a'.repeat(4_000)],
];

export function malformedRequest(draw: RandomChoices, drawOperation: (draw: RandomChoices) => FuzzOperation): FuzzRequest {
  const method = draw.weighted([
    [3, 'POST'],
    [2, 'GET'],
    [3, draw.pick(METHODS)],
  ]);
  const path = draw.weighted<() => string>([
    [3, () => '/graphql'],
    [4, () => draw.pick(PATHS)],
    [1, () => `/${draw.bytes(draw.below(20)).toString('hex').replace(/../g, '%$&')}`],
    [
      1,
      () =>
        `/graphql?query=${encodeURIComponent(drawOperation(draw).query)}&${draw.pick(KEYS)}=${encodeURIComponent(randomJson(draw, 2))}`,
    ],
    [1, () => `/${'a'.repeat(draw.below(5_000))}`],
  ])();
  const entries = draw.many(draw.below(5), () => [draw.pick(HEADER_NAMES), draw.pick(HEADER_VALUES)] as const);
  const empty = method === 'GET' || method === 'HEAD' || draw.chance(0.2);
  const headers = { ...(draw.chance(0.6) && !empty && JSON_TYPE), ...Object.fromEntries(entries) };
  return { kind: 'odd HTTP', method, path, headers, ...(!empty && { body: bodyOf(drawOperation(draw)) }) };
}
