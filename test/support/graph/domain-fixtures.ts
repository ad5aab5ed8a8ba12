import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GraphQLSchema } from 'graphql';
import { createExecutor } from '../../../src/graphql/executor/index.ts';
import type { AnyDomain } from '../../../src/graphql/federation/sdl.ts';
import { formatError } from '../../../src/graphql/format-error.ts';
import { executionRequest } from '../executor/execution-request.ts';
import { createDocumentParser } from './parsed-documents.ts';

/** Creates a domain from SDL and resolvers. */
export function createDomainFixture(name: string, sdl: string, resolvers: object): AnyDomain {
  const folder = mkdtempSync(join(tmpdir(), `domain-${name}-`));
  writeFileSync(join(folder, 'all.graphql'), sdl);
  return { name, schema: folder, resolvers, weights: {} };
}

/** Executes a query with the executor; errors have the form `path: CODE message`. */
export function createTestExecutor(schema: GraphQLSchema) {
  const executor = createExecutor(schema);
  const parseDocument = createDocumentParser(schema);
  return async (source: string, context: unknown = {}, variables: Record<string, unknown> = {}) => {
    const { document, validationErrors } = parseDocument(source);
    if (validationErrors.length > 0) throw new Error(validationErrors.map(({ message }) => message).join('\n'));
    const request = executionRequest(schema, document, { variables });
    const response = request && (await executor.execute({ ...request, context }));
    const data: any = response?.data?.toJSON() ?? null;
    const errors = (response?.errors ?? []).map((error) => {
      const { message, path = [], extensions } = formatError(error.toJSON(), error);
      return `${path.join('.')}: ${extensions?.code} ${message}`;
    });
    return { data, errors };
  };
}
