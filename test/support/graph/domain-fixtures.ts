import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { type GraphQLSchema, getOperationAST, parse, validate } from 'graphql';
import type { AnyDomain } from '../../../src/graphql/domain.ts';
import { createExecutor } from '../../../src/graphql/executor/index.ts';
import { formatError } from '../../../src/graphql/pipeline/format-error.ts';

const folders: string[] = [];

afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** A domain of a few lines. */
export function createDomainFixture(name: string, sdl: string, resolvers: object): AnyDomain {
  const folder = mkdtempSync(join(tmpdir(), `domain-${name}-`));
  folders.push(folder);
  writeFileSync(join(folder, 'all.graphql'), sdl);
  return { name, schema: folder, resolvers };
}

/** What our executor answers, with the errors as a client gets them: `path: CODE message`. */
export function createTestExecutor(schema: GraphQLSchema) {
  const run = createExecutor(schema);
  return async (source: string, context: unknown = {}, variables: Record<string, unknown> = {}) => {
    const document = parse(source);
    const wrong = validate(schema, document);
    if (wrong.length > 0) throw new Error(wrong.map(({ message }) => message).join('\n'));
    const answer = await run({ document, operation: getOperationAST(document) ?? undefined, variables, context });
    const data: any = answer?.data?.toJSON() ?? null;
    const errors = (answer?.errors ?? []).map((error) => {
      const { message, path = [], extensions } = formatError(error.toJSON(), error);
      return `${path.join('.')}: ${extensions?.code} ${message}`;
    });
    return { data, errors };
  };
}
