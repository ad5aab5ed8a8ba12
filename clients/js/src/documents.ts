/**
 * A document: text, or what `graphql`, `gql` or a code generator return. A typed document, such as that of gql.tada, determines the types of the
 * data and of the variables.
 */
export type Document<Data, Variables> =
  | string
  | {
      readonly __apiType?: ((variables: Variables) => Data) | undefined;
    };

/** Returns the text of a document. Loads `graphql` only for a document that is an AST. */
export async function textOf(document: Document<never, never>): Promise<string> {
  if (typeof document === 'string') return document;
  if ('kind' in document) {
    const { print } = await import('graphql');
    return print(document as unknown as Parameters<typeof print>[0]);
  }
  // The string documents of code generators are String objects.
  return String(document);
}

/** Whether a document is a live query, whose events are its current results: it has no cursor. */
export const isLiveQuery = (text: string): boolean => /@live\b/.test(text) && !/\bsubscription\b/.test(text);

/** Whether a document has the variable that `follow` sets to the cursor. */
export const takesCursor = (text: string): boolean => /\$after\b/.test(text) && !isLiveQuery(text);

/** Whether a document has the variable that `follow` sets to the chain. */
export const takesChain = (text: string): boolean => /\$chainId\b/.test(text);

/** The field of an event that is its cursor, by the name of the subscription. */
const CURSOR_FIELDS: Readonly<Record<string, string>> = {
  logs: 'cursor',
  logPages: 'cursor',
  newHeads: 'hash',
  webhookEvents: 'id',
};

/**
 * Returns the cursor of an event: `cursor` of `logs` and `logPages`, `hash` of `newHeads`, `id` of `webhookEvents`. For a subscription with an alias, the `cursor`.
 * Undefined when the event has none.
 */
export function cursorOfEvent(data: unknown): string | undefined {
  const [field, ...others] = Object.entries(data ?? {});
  if (!field || others.length > 0) return undefined;
  const [name, event] = field;
  const cursor = (event as Record<string, unknown> | null)?.[CURSOR_FIELDS[name] ?? 'cursor'];
  return typeof cursor === 'string' ? cursor : undefined;
}
