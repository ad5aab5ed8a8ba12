import { bodyOf, mutate, randomBody } from './bodies.ts';
import type { Draw } from './drawing.ts';
import { brokenRequest, oddRequest } from './odd-http.ts';
import type { Operation } from './operations.ts';

/** One request of the fuzz: what is sent, and what kind of mischief it is. */
export interface Request {
  readonly kind: Kind;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** The operation, where it was sent as it was drawn. */
  readonly operation?: Operation;
}

export type Kind =
  | 'operation'
  | 'get'
  | 'mutated text'
  | 'mutated body'
  | 'random bytes'
  | 'random JSON'
  | 'odd HTTP'
  | 'broken HTTP';

export const JSON_TYPE = { 'content-type': 'application/json' };

export function drawRequest(draw: Draw, drawOperation: (draw: Draw) => Operation): Request {
  const post = (kind: Kind, body: string | Buffer): Request => ({
    kind,
    method: 'POST',
    path: '/graphql',
    headers: JSON_TYPE,
    body,
  });
  const kinds: Record<Kind, () => Request> = {
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
    'odd HTTP': () => oddRequest(draw, drawOperation),
    'broken HTTP': () => ({ kind: 'broken HTTP', method: '', path: '', headers: {}, body: brokenRequest(draw, drawOperation) }),
  };
  return kinds[
    draw.weighted<Kind>([
      [60, 'operation'],
      [6, 'get'],
      [14, 'mutated text'],
      [5, 'mutated body'],
      [3, 'random bytes'],
      [5, 'random JSON'],
      [6, 'odd HTTP'],
      [1, 'broken HTTP'],
    ])
  ]();
}

/** A request as a person reads it in a failure. */
export function shown({ kind, method, path, headers, body }: Request): string {
  const text = Buffer.isBuffer(body) ? body.toString('latin1') : (body ?? '');
  return `${kind}: ${method} ${cut(path)} ${JSON.stringify(headers)}\n${cut(text)}`;
}

export const cut = (text: string): string => (text.length > 800 ? `${text.slice(0, 800)}… (${text.length})` : text);
