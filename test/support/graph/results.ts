import type { ResultOf } from '@grimoire/client/tada';

type ErrorExtensions = { readonly code: string; readonly cursor?: string; readonly [name: string]: unknown } & {
  readonly [Name in 'retryAfterMs' | 'limit' | 'actual']?: number;
};

/** An error of a response, as a client parses it. */
export interface ResponseError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions: ErrorExtensions;
}

/** The errors of a response, at least one. */
export type ResponseErrors = readonly [ResponseError, ...ResponseError[]];

/** A response of the graph over any transport. */
export interface GraphResponse<T> {
  readonly data: T;
  readonly errors?: ResponseErrors;
  readonly extensions?: Record<string, unknown>;
}

/** Values without null: a test that reads through a null fails at this line. */
export type Present<T> = T extends string | number | boolean ? T : { -readonly [Key in keyof T]-?: Present<NonNullable<T[Key]>> };

declare const graphql: typeof import('@grimoire/client/tada').graphql;
/** Exists for its type alone: the document that gql.tada derives from its text. */
const parse = <const Text extends string>(text: Text) => graphql(text);

/** Fields of every schema, of subgraphs and of the schema of another team, which gql.tada does not know. */
type UntypedField = '__schema' | '__type(' | '_service' | '_entities' | 'story';

type DerivedData<Text extends string> = ResultOf<ReturnType<typeof parse<Text>>>;

/** The data of an operation, derived from its text; of any type if the text is computed or has an untyped field. */
export type DataOf<Text extends string> = Text extends `${string}${UntypedField}${string}`
  ? any
  : [DerivedData<Text>] extends [never]
    ? any
    : Present<DerivedData<Text>>;

/** Returns the data of a response; rejects when the response has errors. */
export async function dataOf<T>(response: Promise<{ readonly data: T; readonly errors?: unknown }>): Promise<T> {
  const { data, errors } = await response;
  if (errors) throw new Error(`The response has errors: ${JSON.stringify(errors)}`);
  return data;
}

/** The body of a response over HTTP. */
export const bodyOf = async (response: globalThis.Response): Promise<GraphBody> => (await response.json()) as GraphBody;

export type GraphBody = GraphResponse<any> & { readonly errors: ResponseErrors; readonly extensions?: any };

/** Returns a function that reads this field of an object: `nodes.map(field('hash'))`. */
export const field =
  <Name extends string>(name: Name) =>
  <T>(object: { readonly [Key in Name]: T }): T =>
    object[name];
