import { expect, test } from '@jest/globals';
import { buildSchema, type OperationDefinitionNode, parse } from 'graphql';
import { domains } from '../../../src/app/installed-domains.ts';
import { composeSchema } from '../../../src/graphql/federation/compose.ts';
import { GraphError } from '../../../src/lib/errors.ts';
import { type FieldEvidence, parseVerification, TrustRecord } from '../../../src/operation/trust.ts';
import { trustReport } from '../../../src/operation/trust-report.ts';

test.each<[unknown, readonly string[] | undefined]>([
  [undefined, undefined],
  [null, undefined],
  ['', undefined],
  [' , ', undefined],
  [[], undefined],
  ['report', ['report']],
  [' logs ,state,logs', ['logs', 'state']],
  [
    ['state', 'report'],
    ['state', 'report'],
  ],
])('the list of verifications %j is %j', (value, expected) => {
  const requested = parseVerification(value, 'list');
  expect(requested && [...requested]).toEqual(expected);
});

test.each<[unknown]>([['Report'], ['logs;state'], ['all'], [['logs', 1]], [1], [true], [{}], [[['logs']]]])(
  'the list of verifications %j is BAD_USER_INPUT and names the accepted values',
  (value) => {
    let failure: unknown;
    try {
      parseVerification(value, 'header x-graph-verify');
    } catch (error) {
      failure = error;
    }
    expect(failure).toBeInstanceOf(GraphError);
    expect(failure).toMatchObject({
      code: 'BAD_USER_INPUT',
      message: 'Invalid header x-graph-verify. Send a list of report, logs, state.',
    });
  },
);

test('the evidence of fields names only fields of the schema', () => {
  const evidence: FieldEvidence = Object.assign({}, ...domains.map((domain) => domain.evidence));
  const types = composeSchema(domains).getTypeMap();
  // A subgraph alone has the fields of federation.
  const known = Object.keys(evidence).filter((name) => !['Query._entities', 'Query._service', 'Account._at'].includes(name));
  expect(known.length).toBeGreaterThan(50);
  const unknown = known.filter((coordinate) => {
    const [type, field] = coordinate.split('.') as [string, string];
    const fields = (types[type] as { getFields?(): Record<string, unknown> } | undefined)?.getFields?.();
    return !fields || (field !== '*' && !(field in fields));
  });
  expect(unknown).toEqual([]);
});

test.each([
  ['outer { inner @include(if: $a) }', ['outer']],
  ['outer @include(if: $a) { inner }', []],
])('a condition that has failed makes the field around it unproven: %s', (fields, reported) => {
  const schema = buildSchema('type Query { outer: Outer } type Outer { inner: Int }');
  const document = parse(`query ($a: Boolean = true) { ${fields} }`);
  const operation = document.definitions[0] as OperationDefinitionNode;
  const request = { document, operation, variableValues: { a: null } };
  const report = trustReport(schema, request, { 'Query.outer': [] }, new TrustRecord(new Set()));
  expect(report.reported).toEqual(reported);
});
