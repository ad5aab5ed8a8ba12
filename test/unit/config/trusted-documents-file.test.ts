import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readTrustedDocuments } from '../../../src/config/trusted-documents-file.ts';
import { createTemporaryFolder } from '../../support/cleanups.ts';

function file(content: unknown): string {
  const path = join(createTemporaryFolder(), 'manifest.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const apollo = (...operations: object[]) => ({ format: 'apollo-persisted-query-manifest', version: 1, operations });

test('reads manifests of GraphQL Code Generator and Relay, and of Apollo', () => {
  const texts = file({ ab12: 'query A { answer }', cd34: 'query B { answer }' });
  const operations = file(
    apollo({ id: 'ef56', name: 'C', type: 'query', body: 'query C { answer }' }, { id: 'ab12', body: 'query A { answer }' }),
  );
  expect([...readTrustedDocuments([texts, operations])]).toEqual([
    ['ab12', 'query A { answer }'],
    ['cd34', 'query B { answer }'],
    ['ef56', 'query C { answer }'],
  ]);
});

test.each<[string, unknown, string]>([
  ['text', 'no json', 'is not JSON'],
  ['a list', [], 'is no manifest of GraphQL Code Generator, Relay (an object of texts by id) or Apollo (with `operations`)'],
  ['a text that is a number', { a: 1 }, 'is no manifest'],
  ['an empty text', { a: '' }, 'is no manifest'],
  ['an operation without a body', apollo({ id: 'a' }), 'is no manifest'],
  ['two texts for one id', apollo({ id: 'a', body: '{ a }' }, { id: 'a', body: '{ b }' }), 'has another text for the id "a"'],
])('a manifest with %s is BAD_USER_INPUT with the file and the reason', (_case, content, reason) => {
  const path = file(content);
  let failure: unknown;
  try {
    readTrustedDocuments([path]);
  } catch (error) {
    failure = error;
  }
  expect(failure).toMatchObject({ code: 'BAD_USER_INPUT', message: expect.stringContaining(reason) });
  expect((failure as Error).message).toContain(`The file "${path}" of TRUSTED_DOCUMENTS_FILE `);
});
