import { expect, test } from '@jest/globals';
import { Client, type OperationResult } from '@urql/core';
import type { GraphResult } from '../../../clients/js/src/index.ts';
import { graphSubscriptionExchange } from '../../../clients/js/src/urql.ts';
import { scriptedClient } from '../../support/clients/scripted-client.ts';
import { waitUntil } from '../../support/wait-until.ts';

const HEADS = 'subscription ($after: Bytes32) { newHeads(after: $after) { hash number } }';
const head = (hash: string, errors?: GraphResult['errors']): GraphResult => ({
  data: { newHeads: { hash, number: null } },
  ...(errors && { errors }),
});
const failed = (cursor: string): GraphResult => ({ data: null, errors: [{ message: 'no data', extensions: { cursor } }] });

/** The results of a subscription of urql to the events of a script. */
async function resultsOf(...script: unknown[]) {
  const { client } = scriptedClient(script);
  const urql = new Client({ url: 'http://unused', exchanges: [graphSubscriptionExchange(client)], preferGetMethod: false });
  const results: OperationResult[] = [];
  const { unsubscribe } = urql.subscription(HEADS, {}).subscribe((result) => results.push(result));
  await waitUntil(() => results.length >= script.length, 'all events have arrived');
  unsubscribe();
  return results.map(({ data, error }) => [data?.newHeads.hash, error?.graphQLErrors.map(({ message }) => message)]);
}

test('the error of an event is not that of the next one', async () => {
  const errors = [{ message: 'no number' }];
  expect(await resultsOf(head('a'), head('b', errors), head('c'))).toEqual([
    ['a', undefined],
    ['b', ['no number']],
    ['c', undefined],
  ]);
});

test('an event without data does not repeat the data of the last one', async () => {
  expect(await resultsOf(head('a'), failed('b'), head('c'))).toEqual([
    ['a', undefined],
    [undefined, ['no data']],
    ['c', undefined],
  ]);
});
