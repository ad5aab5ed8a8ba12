/** An error of a response, as a client parses it. */
export interface ResponseError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions: Record<string, any>;
}

/** The errors of a response, at least one. */
export type ResponseErrors = readonly [ResponseError, ...ResponseError[]];

interface Response {
  readonly data: any;
  readonly errors?: readonly unknown[];
}

/** Returns the data of a response; rejects when the response has errors. */
export async function dataOf<T = any>(response: Promise<Response>): Promise<T> {
  const { data, errors } = await response;
  if (errors) throw new Error(`The response has errors: ${JSON.stringify(errors)}`);
  return data;
}

/** The body of a response over HTTP. */
export const bodyOf = async (response: globalThis.Response): Promise<GraphBody> => (await response.json()) as GraphBody;

export interface GraphBody {
  readonly data?: any;
  readonly errors: ResponseErrors;
  readonly extensions?: any;
}

/** Returns a function that reads this field of an object: `nodes.map(field('hash'))`. */
export const field =
  <Name extends string>(name: Name) =>
  <T>(object: { readonly [Key in Name]: T }): T =>
    object[name];
