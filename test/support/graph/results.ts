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
