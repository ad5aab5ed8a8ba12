import { type DocumentNode, type GraphQLError, type GraphQLSchema, parse, validate } from 'graphql';
import { LRUCache } from 'lru-cache';

interface ParsedDocument {
  readonly document: DocumentNode;
  readonly validationErrors: readonly GraphQLError[];
}

/** Returns a function that parses and validates a text once: tests repeat documents, and each takes milliseconds. */
export function createDocumentParser(schema: GraphQLSchema): (source: string) => ParsedDocument {
  const documents = new LRUCache<string, ParsedDocument>({ max: 100 });
  return (source) => {
    const cached = documents.get(source);
    if (cached) return cached;
    const document = parse(source);
    const parsed = { document, validationErrors: validate(schema, document) };
    documents.set(source, parsed);
    return parsed;
  };
}
