import type { ApolloServerPlugin } from '@apollo/server';
import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { ApolloContext } from '../../../src/server/apollo.ts';
import { postJson } from '../../support/clients/post-json.ts';
import { startToyServer, type ToyServer } from '../../support/graph/toy-server.ts';

/** What a plugin that reports usage reads of each request. */
interface Usage {
  readonly client: string | undefined;
  readonly operationName: string | null | undefined;
  readonly operationType: string | undefined;
  readonly document: string | undefined;
  readonly codes: readonly unknown[];
  readonly paths: readonly unknown[];
}

const reports: Usage[] = [];
const parsed: string[] = [];

const usagePlugin: ApolloServerPlugin<ApolloContext> = {
  async requestDidStart({ request: { http } }) {
    let [codes, paths]: [unknown[], unknown[]] = [[], []];
    return {
      async parsingDidStart({ source }) {
        parsed.push(source);
      },
      async didEncounterErrors({ errors }) {
        codes = errors.map(({ extensions }) => extensions.code);
        paths = errors.map(({ path }) => path?.join('.'));
      },
      async willSendResponse({ operationName, operation, document }) {
        const client = http?.headers.get('apollographql-client-name');
        reports.push({
          client,
          operationName,
          operationType: operation?.operation,
          document: document?.loc?.source.body,
          codes,
          paths,
        });
      },
    };
  },
};

let server: ToyServer;
beforeAll(async () => {
  server = await startToyServer({ apolloPlugins: [usagePlugin] });
});
beforeEach(() => {
  reports.length = 0;
  parsed.length = 0;
});

async function post(body: object): Promise<{ readonly errors?: readonly { readonly message: string }[] }> {
  const response = await postJson(`${server.url}/graphql`, body, { 'apollographql-client-name': 'shop' });
  return (await response.json()) as { readonly errors?: readonly { readonly message: string }[] };
}

test.each([
  ['a query', 'query First { answer } query Second { answer }', 'Second', { operationName: 'Second', operationType: 'query' }],
  ['an anonymous query', '{ answer }', undefined, { operationName: null, operationType: 'query' }],
  ['a mutation', 'mutation Raise { bump }', 'Raise', { operationName: 'Raise', operationType: 'mutation' }],
  ['a failed field', 'query Slow { fail }', 'Slow', { operationName: 'Slow', codes: ['UPSTREAM_TIMEOUT'], paths: ['fail'] }],
  ['an unknown field', 'query Bad { nothing }', 'Bad', { operationName: 'Bad', codes: ['GRAPHQL_VALIDATION_FAILED'] }],
  ['a subscription', 'subscription S { ticks { n } }', 'S', { operationType: 'subscription', codes: ['BAD_REQUEST'] }],
])(
  'a plugin of Apollo Server sees the operation, the document and the errors of %s',
  async (_case, query, operationName, expected) => {
    const { errors } = await post({ query, operationName });
    expect(reports).toEqual([expect.objectContaining({ client: 'shop', document: query, codes: [], ...expected })]);
    expect(errors?.length ?? 0).toBe(reports[0]!.codes.length);
  },
);

test('a plugin of Apollo Server sees the error of a document that cannot be parsed', async () => {
  const { errors } = await post({ query: '{ answer' });
  expect(errors).toMatchObject([{ extensions: { code: 'GRAPHQL_PARSE_FAILED', requestId: expect.any(String) } }]);
  expect(reports).toEqual([expect.objectContaining({ client: 'shop', document: undefined, codes: ['GRAPHQL_PARSE_FAILED'] })]);
});

test('Apollo Server and the pipeline parse a document once together', async () => {
  const query = 'query Once { answer }';
  for (let i = 0; i < 3; i++) await post({ query });
  expect(reports).toHaveLength(3);
  expect(parsed).toEqual([query]);
});
