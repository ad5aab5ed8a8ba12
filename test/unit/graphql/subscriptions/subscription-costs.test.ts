import { expect, test } from '@jest/globals';
import {
  type PricedGroup,
  type SubscribingConnection,
  SubscriptionCosts,
} from '../../../../src/graphql/subscriptions/subscription-costs.ts';
import { random, readSeed } from '../../../support/random-tests.ts';

const LIMITS = { MAX_SUBSCRIPTION_COST: 100, MAX_CLIENT_SUBSCRIPTION_COST: 150, MAX_SERVER_SUBSCRIPTION_COST: 200 };

const createGroup = (eventCost: number): PricedGroup => ({ eventCost, subscriberCounts: new Map() });
const connect = (client?: string): SubscribingConnection => ({ client });

/** Costs with these limits, and a function that checks and adds a subscriber. */
function createCosts(limits = LIMITS) {
  const costs = new SubscriptionCosts(limits);
  const join = (group: PricedGroup, connection: SubscribingConnection): void => {
    costs.check(group, connection);
    costs.add(group, connection);
  };
  return { costs, join };
}

const refusal = (setting: keyof typeof LIMITS, actual: number, message = setting as string) =>
  expect.objectContaining({
    message: expect.stringContaining(message),
    extensions: {
      code: 'TOO_MANY_SUBSCRIPTIONS',
      source: 'graph',
      setting,
      limit: LIMITS[setting],
      actual,
      retryable: setting !== 'MAX_SUBSCRIPTION_COST',
    },
  });

test('connection above its limit is refused with the sum, the limit and the setting', () => {
  const { costs, join } = createCosts();
  const connection = connect('192.0.2.1');
  join(createGroup(60), connection);
  join(createGroup(40), connection);
  const message = 'this connection would cost 101; the limit is 100 (MAX_SUBSCRIPTION_COST). Complete a subscription first';
  expect(() => join(createGroup(1), connection)).toThrow(refusal('MAX_SUBSCRIPTION_COST', 101, message));
  expect(costs.serverSum).toBe(100);
});

test('connections of one client share the limit of the client', () => {
  const { join } = createCosts();
  join(createGroup(90), connect('192.0.2.1'));
  expect(() => join(createGroup(61), connect('192.0.2.1'))).toThrow(refusal('MAX_CLIENT_SUBSCRIPTION_COST', 151));
  join(createGroup(61), connect('192.0.2.2'));
});

test('connections of unknown clients share only the limit of the server', () => {
  const { join } = createCosts();
  join(createGroup(90), connect());
  join(createGroup(90), connect());
  const message = 'Try again later, or select fewer fields.';
  expect(() => join(createGroup(21), connect())).toThrow(refusal('MAX_SERVER_SUBSCRIPTION_COST', 201, message));
  const { join: joinAlone } = createCosts({ ...LIMITS, MAX_CLIENT_SUBSCRIPTION_COST: 1 });
  joinAlone(createGroup(2), connect());
});

test('clients and the server share their limits with the other processes of the server, and connections do not', () => {
  const sums = new Map<string, number>();
  const others: Record<string, number> = { subscriptions: 20, 'subscriptions of a': 130, undefined: 1_000 };
  const set = (name: string, sum: number) => void sums.set(name, sum);
  const costs = new SubscriptionCosts(LIMITS, { set, others: (name) => others[name] ?? 0 });
  const [connection, group] = [connect('a'), createGroup(20)];
  expect(() => costs.check(createGroup(21), connection)).toThrow(refusal('MAX_CLIENT_SUBSCRIPTION_COST', 151));
  costs.check(group, connection);
  costs.add(group, connection);
  costs.add(createGroup(100), connect('b'));
  expect(() => costs.check(createGroup(61), connect())).toThrow(refusal('MAX_SERVER_SUBSCRIPTION_COST', 201));
  costs.remove(group, connection);
  expect([...sums]).toEqual([
    ['subscriptions of a', 0],
    ['subscriptions', 100],
    ['subscriptions of b', 100],
  ]);
});

test('sums equal the groups that are joined and return to zero, under random joins and leaves', () => {
  const next = random(readSeed());
  const pick = <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)]!;
  const { costs, join } = createCosts();
  const groups = [1, 4, 17, 60, 90].map(createGroup);
  const connections = ['a', 'a', 'b', undefined, undefined].map(connect);
  const joined: [PricedGroup, SubscribingConnection][] = [];
  const sumOf = (isIn: (connection: SubscribingConnection) => boolean): number =>
    [...new Set(joined.filter(([, connection]) => isIn(connection)).map(([group]) => group))].reduce(
      (sum, { eventCost }) => sum + eventCost,
      0,
    );
  let refused = 0;
  for (let step = 0; step < 1_000; step++) {
    if (next() < 0.5 && joined.length > 0) {
      costs.remove(...joined.splice(Math.floor(next() * joined.length), 1)[0]!);
    } else {
      const pair = [pick(groups), pick(connections)] as const;
      try {
        join(...pair);
        joined.push([...pair]);
      } catch {
        refused++;
      }
    }
    const sums = connections.map((one) => sumOf((connection) => connection === one));
    expect([costs.serverSum, Math.max(...sums) <= 100, sumOf(({ client }) => client === 'a') <= 150]).toEqual([
      sumOf(() => true),
      true,
      true,
    ]);
  }
  expect(refused).toBeGreaterThan(0);
  for (const pair of joined) costs.remove(...pair);
  expect([costs.serverSum, ...groups.map((group) => group.subscriberCounts.size)]).toEqual([0, 0, 0, 0, 0, 0]);
});
