import { keyHeaders } from '../caller-key.ts';
import { graphUrl } from '../endpoints.ts';

/** Executes an operation. Resolves with its data, or undefined when it failed or the schema lacks a field of it. */
export async function readGraph<Data>(
  query: string,
  variables: Readonly<Record<string, unknown>> = {},
): Promise<Data | undefined> {
  const response = await fetch(graphUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', ...keyHeaders() },
    body: JSON.stringify({ query, variables }),
  }).catch(() => undefined);
  const result = (await response?.json().catch(() => undefined)) as { readonly data?: Data | null } | undefined;
  return result?.data ?? undefined;
}
