import { z } from 'zod';
import { GraphError } from '../lib/errors.ts';
import { readJsonFile } from '../lib/json-file.ts';

/** The manifest of Apollo's tools. */
const apolloManifest = z.object({
  format: z.literal('apollo-persisted-query-manifest'),
  operations: z.array(z.object({ id: z.string().min(1), body: z.string().min(1) })),
});

/** The manifest of GraphQL Code Generator and of Relay: the text of each document by its id. */
const textsById = z.record(z.string().min(1), z.string().min(1));

/**
 * Reads the manifests of TRUSTED_DOCUMENTS_FILE synchronously: the text of each document by its id. Throws BAD_USER_INPUT with the file if one cannot be read
 * or is no manifest, and for an id with two texts.
 */
export function readTrustedDocuments(paths: readonly string[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const path of paths) {
    const errorOf = (problem: string, cause?: unknown) =>
      new GraphError('BAD_USER_INPUT', `The file "${path}" of TRUSTED_DOCUMENTS_FILE ${problem}.`, { cause });
    const manifest = readJsonFile(path, errorOf);
    for (const [id, text] of entriesOf(manifest, errorOf)) {
      if (texts.has(id) && texts.get(id) !== text) throw errorOf(`has another text for the id "${id}" than before`);
      texts.set(id, text);
    }
  }
  return texts;
}

function entriesOf(manifest: unknown, errorOf: (problem: string) => GraphError) {
  const apollo = apolloManifest.safeParse(manifest);
  if (apollo.success) return apollo.data.operations.map(({ id, body }) => [id, body] as const);
  const texts = textsById.safeParse(manifest);
  if (texts.success) return Object.entries(texts.data);
  throw errorOf('is no manifest of GraphQL Code Generator, Relay (an object of texts by id) or Apollo (with `operations`)');
}
