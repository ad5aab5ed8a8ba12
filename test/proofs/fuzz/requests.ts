import type { RandomChoices } from '../../support/random-choices.ts';
import { bodyOf, mutate, randomBody } from './bodies.ts';
import { malformedRequest } from './malformed-http.ts';
import type { FuzzOperation } from './operations.ts';

/** A generated request and its kind. */
export interface FuzzRequest {
  readonly kind: FuzzRequestKind;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** The operation, if the request contains it unchanged. */
  readonly operation?: FuzzOperation;
}

export type FuzzRequestKind =
  | 'operation'
  | 'get'
  | 'event stream'
  | 'WebSocket'
  | 'mutated message'
  | 'mutated text'
  | 'mutated body'
  | 'random bytes'
  | 'random JSON'
  | 'odd HTTP';

export const JSON_TYPE = { 'content-type': 'application/json' };

export function randomRequest(draw: RandomChoices, drawOperation: (draw: RandomChoices) => FuzzOperation): FuzzRequest {
  const post = (kind: FuzzRequestKind, body: string | Buffer): FuzzRequest => ({
    kind,
    method: 'POST',
    path: '/graphql',
    headers: JSON_TYPE,
    body,
  });
  const kinds: Record<FuzzRequestKind, () => FuzzRequest> = {
    operation() {
      const operation = drawOperation(draw);
      return { ...post('operation', bodyOf(operation)), operation };
    },
    get() {
      const operation = drawOperation(draw);
      const { query, variables, operationName } = operation;
      const search = new URLSearchParams({ query, variables, ...(operationName !== undefined && { operationName }) });
      const headers = { 'apollo-require-preflight': '1' };
      return { kind: 'get', method: 'GET', path: `/graphql?${search}`, headers, operation };
    },
    'event stream'() {
      const operation = drawOperation(draw);
      const headers = { ...JSON_TYPE, accept: 'text/event-stream' };
      return { ...post('event stream', bodyOf(operation)), headers, operation };
    },
    WebSocket() {
      const operation = drawOperation(draw);
      return { ...post('WebSocket', messageOf(operation)), operation };
    },
    'mutated message': () => post('mutated message', mutate(draw, Buffer.from(messageOf(drawOperation(draw))))),
    'mutated text'() {
      const operation = drawOperation(draw);
      return post('mutated text', bodyOf({ ...operation, query: mutate(draw, Buffer.from(operation.query)).toString() }));
    },
    'mutated body': () => post('mutated body', mutate(draw, Buffer.from(bodyOf(drawOperation(draw))))),
    'random bytes': () =>
      post(
        'random bytes',
        draw.bytes(
          draw.weighted([
            [9, draw.below(300)],
            [1, draw.below(20_000)],
          ]),
        ),
      ),
    'random JSON': () => post('random JSON', randomBody(draw, drawOperation)),
    'odd HTTP': () => malformedRequest(draw, drawOperation),
  };
  return kinds[
    draw.weighted<FuzzRequestKind>([
      [40, 'operation'],
      [6, 'get'],
      [8, 'event stream'],
      [8, 'WebSocket'],
      [4, 'mutated message'],
      [14, 'mutated text'],
      [5, 'mutated body'],
      [3, 'random bytes'],
      [5, 'random JSON'],
      [6, 'odd HTTP'],
    ])
  ]();
}

/** The message of graphql-transport-ws that starts an operation. */
const messageOf = (operation: FuzzOperation): string => `{"id":"1","type":"subscribe","payload":${bodyOf(operation)}}`;

/** Describes a request for the message of a failure. */
export function describeRequest({ kind, method, path, headers, body }: FuzzRequest): string {
  const text = Buffer.isBuffer(body) ? body.toString('latin1') : (body ?? '');
  return `${kind}: ${method} ${truncate(path)} ${JSON.stringify(headers)}\n${truncate(text)}`;
}

export const truncate = (text: string): string => (text.length > 800 ? `${text.slice(0, 800)}… (${text.length})` : text);
