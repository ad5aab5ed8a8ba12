import { expect, test } from '@jest/globals';
import { execute } from 'graphql';
import { createExecutor } from '../../../../src/graphql/executor/index.ts';
import { parseValid, schemaOf } from '../../../support/executor/differential-execution.ts';
import { executionRequest } from '../../../support/executor/execution-request.ts';

const schema = schemaOf(
  `
    type Query { plain: Int }
    type Mutation { plain: Int }
    type Subscription { thing(of: Int = 1): Thing, sure: Thing!, plain: Int }
    type Thing { name: String, of: Int!, late: String }
  `,
  {
    Subscription: { thing: { subscribe: () => {}, resolve: (root: any, { of }: any) => ({ ...root.thing, of }) } },
    Thing: { late: async ({ name }: { name: string }) => name },
  },
);
const executor = createExecutor(schema);

test.each([
  ['the property of the root', 'subscription { plain }', { plain: 7 }],
  ['a missing property', 'subscription { plain }', {}],
  ['a missing non-null property', 'subscription { sure { name } }', {}],
  ['a function', 'subscription { plain }', { plain: () => 8 }],
  ['a resolver beside `subscribe`', 'subscription { thing(of: 3) { name of late __typename } }', { thing: { name: 'a' } }],
  ['a failing field', 'subscription { sure { name of } }', { sure: { name: 'a', of: 'b' } }],
  ['the root of a query', '{ plain }', { plain: 1 }],
  ['the root of a mutation', 'mutation { plain }', { plain: 2 }],
])('execution over an event equals graphql-js: %s', async (_case, source, root) => {
  const document = parseValid(schema, source);
  const ours = await executor.execute({ ...executionRequest(schema, document)!, context: {}, root });
  const { data, errors } = await execute({ schema, document, rootValue: root });
  expect(JSON.parse(JSON.stringify(ours.data))).toEqual(data);
  expect(ours.errors?.map(({ message }) => message)).toEqual(errors?.map(({ message }) => message));
});
