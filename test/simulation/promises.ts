import type { SimChain } from '../support/simulator/chain.ts';

/** The promises of the README that a simulation checks. Each function throws an error that names the broken promise. */

function promise(isKept: boolean, text: string, details: unknown): void {
  if (!isKept) throw new Error(`${text}: ${JSON.stringify(details)}`);
}

/** The query of `oneOperationOneBlock`. */
export const ONE_BLOCK_QUERY = `{
  block { number hash parent { hash } logs(filter: {}) { index blockHash } transactionCount }
  again: block { hash }
  blocks(last: 3) { number hash parent { hash } }
}`;

/** The parts of a response agree with each other, name the block that they were read at, and this block is of the chain. */
export function oneOperationOneBlock(chain: SimChain, { data, extensions }: any): void {
  const { block, again, blocks } = data;
  const text = 'one operation, one block';
  const known = chain.block(block.hash);
  promise(known !== undefined, `${text}: the block is of no branch`, block);
  promise(Number(block.number) === known!.height && block.parent.hash === known!.parent!.hash, `${text}: another header`, block);
  promise(again.hash === block.hash && extensions.block.hash === block.hash, `${text}: two blocks`, { block, again, extensions });
  promise(block.logs.length === known!.logs.length, `${text}: logs are missing, or too many`, block);
  promise(Number(block.transactionCount) === known!.transactions.length, `${text}: another number of transactions`, block);
  promise(blocks.at(-1).hash === block.hash, `${text}: the last block is another one`, { block, blocks });
  for (const [i, { hash }] of blocks.slice(0, -1).entries())
    promise(blocks[i + 1].parent.hash === hash, `${text}: the blocks are no chain`, blocks);
}

/** The query of `heightsAreOfTheBlock`. */
export const heightQuery = (height: number): string => `{
  block { number hash }
  low: block(number: ${height}) { number hash }
  blocks(from: ${height}, to: ${height + 2}) { number hash parent { hash } }
}`;

/** Blocks at heights are those of the chain that ends in the block of the response. */
export function heightsAreOfTheBlock(chain: SimChain, { data, extensions }: any): void {
  const { block, low, blocks } = data;
  const text = 'one operation, one block';
  promise(block.hash === extensions.block.hash, `${text}: two blocks`, { block, extensions });
  // A block above the block of the operation may be read by its height; a range ends there.
  for (const found of Number(low?.number) <= Number(block.number) ? [low, ...blocks] : blocks) {
    let ancestor = chain.block(block.hash);
    while (ancestor && ancestor.height > Number(found.number)) ancestor = ancestor.parent;
    promise(ancestor?.hash === found.hash, `${text}: a block of another branch`, { block, found });
  }
}

/** An operation that fails names a stable code and why. */
export function everyErrorHasACode({ errors = [] }: { errors?: readonly any[] }): void {
  for (const { message, extensions } of errors)
    promise(typeof extensions?.code === 'string' && message.length > 0, 'every error has a code', { message, extensions });
  const internal = errors.find(({ extensions }) => extensions.code === 'INTERNAL_SERVER_ERROR');
  promise(internal === undefined, 'no fault of the node is an internal error', internal);
}

/** Every request ends within its time limit, and the time that the network takes. */
export const everyRequestEnds = (openSince: ReadonlyMap<number, number>, now: number, limitMs: number): void => {
  for (const [id, since] of openSince) promise(now - since <= limitMs, 'every request ends', { id, since, now });
};

/** No queue grows without bound: here, connections. */
export const connectionsAreBounded = (count: number, limit: number): void =>
  promise(count <= limit, 'connections are bounded', { count, limit });

/** No event is lost, none is received twice, and a log is removed after it was added: the state of each subscriber is the chain. */
export function nothingLostNothingTwice(name: string, differences: readonly string[]): void {
  promise(differences.length === 0, `nothing lost, nothing twice: ${name}`, differences.slice(0, 5));
}

/** Once the faults end, the server is ready, and its subscribers have the chain. */
export const recovers = (isRecovered: boolean, name: string, details: unknown): void =>
  promise(isRecovered, `recovers after the faults: ${name}`, details);

/** Subscriptions, sockets and requests that have ended leave nothing behind. */
export function nothingStays(metrics: string): void {
  const values = ['subscriptions', 'sockets', 'subscription_cost'].map((name) => [
    name,
    Number(new RegExp(`^grimoire_${name} (\\d+)$`, 'm').exec(metrics)?.[1]),
  ]);
  promise(
    values.every(([, value]) => value === 0),
    'what has ended leaves nothing behind',
    Object.fromEntries(values),
  );
}

/** Each acknowledged notification is one event, and a subscriber receives each once, in order. */
export function eachNotificationOnce(events: readonly string[], expected: readonly string[]): void {
  promise(new Set(events).size === events.length, 'a notification is one event', events);
  const isEqual = JSON.stringify([...events].sort()) === JSON.stringify([...new Set(expected)].sort());
  promise(isEqual, 'no acknowledged notification is lost', { events, expected });
}

/** Present events state the facts of the chain: all since the registration, and no other ones. */
export function eventsAreThoseOfTheChain(
  facts: readonly string[],
  { required, possible }: { readonly required: readonly string[]; readonly possible: readonly string[] },
): void {
  const without = (list: readonly string[], removed: readonly string[]): string[] => {
    const left = [...list];
    for (const one of removed) if (left.includes(one)) left.splice(left.indexOf(one), 1);
    return left;
  };
  const [missing, extra] = [without(required, facts), without(facts, possible)];
  promise(missing.length + extra.length === 0, 'each fact of the chain is one event', { missing, extra });
}

/** Each delivery has arrived, with the signature of its registration. */
export function deliveredAtLeastOnce(
  deliveries: readonly { readonly id: string; readonly status: string }[],
  accepted: ReadonlyMap<string, { readonly body: string; readonly headers: Record<string, string> }>,
  signer: { sign(id: string, at: Date, body: string): string },
): void {
  for (const delivery of deliveries) {
    const arrived = accepted.get(delivery.id);
    promise(delivery.status === 'DELIVERED' && arrived !== undefined, 'each delivery arrives', delivery);
    const { body, headers } = arrived!;
    const signature = signer.sign(delivery.id, new Date(Number(headers['webhook-timestamp']) * 1_000), body);
    promise(headers['webhook-signature'] === signature, 'each delivery is signed', { ...delivery, headers });
  }
}
