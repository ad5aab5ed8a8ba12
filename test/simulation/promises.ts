import type { SimChain } from '../support/simulator/chain.ts';
import { balanceAt } from '../support/simulator/rpc-simulator.ts';
import type { SimBlock } from '../support/simulator/view.ts';

/** The promises of the README that a simulation checks. Each function throws an error that names the broken promise. */

function promise(isKept: boolean, text: string, details: unknown): void {
  if (!isKept) throw new Error(`${text}: ${JSON.stringify(details)}`);
}

/** The block of a branch at a height, its head if the height is above. */
function ancestorAt(head: SimBlock | undefined, height: number): SimBlock | undefined {
  let block = head;
  while (block && block.height > height) block = block.parent;
  return block;
}

const ACCOUNT = `0x${'1'.repeat(40)}`;

/** The query of `oneOperationOneBlock`. */
export const ONE_BLOCK_QUERY = `{
  block { number hash parent { hash } logs(filter: {}) { index blockHash } transactionCount }
  again: block { hash }
  account(address: "${ACCOUNT}") { balance }
  blocks(last: 3) { number hash parent { hash } }
}`;

/** The parts of a response agree with each other, name the block that they were read at, and this block is of the chain. */
export function oneOperationOneBlock(chain: SimChain, { data, extensions }: any): void {
  const { block, again, blocks, account } = data;
  const text = 'one operation, one block';
  const known = chain.block(block.hash);
  promise(known !== undefined, `${text}: the block is of no branch`, block);
  promise(Number(block.number) === known!.height && block.parent.hash === known!.parent!.hash, `${text}: another header`, block);
  promise(again.hash === block.hash && extensions.block.hash === block.hash, `${text}: two blocks`, { block, again, extensions });
  promise(account.balance === balanceAt(known!), `${text}: a balance of another block`, { block, account });
  promise(block.logs.length === known!.logs.length, `${text}: logs are missing, or too many`, block);
  promise(Number(block.transactionCount) === known!.transactions.length, `${text}: another number of transactions`, block);
  promise(blocks.at(-1).hash === block.hash, `${text}: the last block is another one`, { block, blocks });
  for (const [i, { hash }] of blocks.slice(0, -1).entries())
    promise(blocks[i + 1].parent.hash === hash, `${text}: the blocks are no chain`, blocks);
}

/** The queries of `entitiesAreOfTheBlock`: the first request of a router, and that for the entities of its response. */
export const ROUTER_QUERY = `{ block { number } account(address: "${ACCOUNT}") { address _at } }`;
export const ENTITY_QUERY = `query ($representations: [_Any!]!) {
  _entities(representations: $representations) { ... on Block { hash stateRoot } ... on Account { balance } }
}`;

/** Entities that a router requests at a block are those of this block. */
export function entitiesAreOfTheBlock(known: SimBlock, [block, account]: readonly any[]): void {
  const { hash, header } = known;
  const isEqual = block.hash === hash && block.stateRoot === header.stateRoot && account.balance === balanceAt(known);
  promise(isEqual, 'one operation, one block: entities of another block', { hash, block, account });
}

/** The query of `transactionIsOfAHead`. */
export const transactionQuery = (hash: string): string => `{
  block { hash }
  transaction(hash: "${hash}") { block { hash } index nonce receipt { cumulativeGasUsed } }
}`;

/** The block of a transaction is on the branch of the response, or of a head since its request. */
export function transactionIsOfAHead(chain: SimChain, hash: string, heads: readonly SimBlock[], { data }: any): void {
  const { block, transaction } = data;
  if (!transaction?.block) return;
  const found = chain.block(transaction.block.hash)!;
  const isOn = (head: SimBlock | undefined): boolean => ancestorAt(head, found.height) === found;
  const isKnown = found.transactions[Number(transaction.index)] === hash && [chain.block(block.hash), ...heads].some(isOn);
  promise(isKnown, 'one operation, one block: a transaction of a removed block', { block, transaction, height: found.height });
}

/** The query of `heightsAreOfTheBlock`. */
export const heightQuery = (height: number): string => `{
  block { number hash logs(filter: {}) { account(block: ${height}) { balance } } }
  low: block(number: ${height}) { number hash }
  blocks(from: ${height}, to: ${height + 2}) { number hash parent { hash } }
}`;

/** Blocks at heights, and the balance at the height of the query, are those of the chain that ends in the block of the response. */
export function heightsAreOfTheBlock(chain: SimChain, height: number, { data, extensions }: any): void {
  const { block, low, blocks } = data;
  const text = 'one operation, one block';
  promise(block.hash === extensions.block.hash, `${text}: two blocks`, { block, extensions });
  // A block above the block of the operation may be read by its height; a range ends there.
  for (const found of Number(low?.number) <= Number(block.number) ? [low, ...blocks] : blocks) {
    const ancestor = ancestorAt(chain.block(block.hash), Number(found.number));
    promise(ancestor?.hash === found.hash, `${text}: a block of another branch`, { block, found });
  }
  // The height of an account is resolved after the logs have arrived.
  const at = height <= Number(block.number) ? ancestorAt(chain.block(block.hash), height) : undefined;
  for (const { account } of at ? block.logs : [])
    promise(account.balance === balanceAt(at!), `${text}: a balance of another branch`, { block, height });
}

/** The query of `consistentIsOfTheChain`, which requests verification. */
export const VERIFIED_QUERY = `{ block {
  number hash parentHash stateRoot receiptsRoot gasUsed timestamp logsBloom logs(filter: {}) { index data topics account { address } }
} }`;

/** The values that a response does not report as unproven are those of the model chain. Returns the block, if the server knows that it is the head. */
export function consistentIsOfTheChain(chain: SimChain, { data: { block }, extensions }: any): string | undefined {
  const reported: readonly string[] = extensions.trust.reported;
  const isProven = (name: string) => !reported.includes('block') && !reported.some((path) => path.startsWith(`block.${name}`));
  const known = chain.block(block.hash);
  const { logs, ...header } = block;
  for (const [name, value] of Object.entries(header)) {
    const expected = known?.header[name];
    const isEqual = value === expected || Number(value) === Number(expected);
    promise(isEqual || !isProven(name), 'consistent values are those of the chain', { name, value, expected, reported });
  }
  const textOf = ({ logIndex, index = logIndex, data, topics, account, address = account.address }: any) =>
    `${Number(index)} ${address} ${topics} ${data}`;
  const isEqual = logs.map(textOf).join() === known?.logs.map(textOf).join();
  promise(isEqual || !isProven('logs'), 'consistent values are those of the chain: logs', { logs, reported });
  return isProven('hash') ? block.hash : undefined;
}

/** No client sees an older head on one connection than before on another one: the head is no ancestor of an earlier head. */
export function headsDoNotGoBack(chain: SimChain, earlier: string | undefined, head: string): void {
  let block = earlier === undefined ? undefined : chain.block(earlier)?.parent;
  while (block && block.hash !== head) block = block.parent;
  promise(block === undefined, 'heads do not go back', { earlier, head });
}

/**
 * Each part of a response that the service fails to provide has its own error, and the others have values of the service: all wizards have
 * one power, which is between the two of `range`.
 */
export function wizardsAreThoseOfTheService(
  { wizards, duels }: { readonly wizards: readonly any[]; readonly duels: readonly any[] },
  { data, errors = [] }: any,
  [low, high]: readonly [number, number],
): void {
  const text = 'wizards are those of the service';
  if (!data) return;
  for (const name of Object.keys(data))
    if (data[name] === null)
      promise(
        errors.some(({ path }: any) => path?.[0] === name),
        `${text}: null without an error`,
        { name, errors },
      );
  const inRange = ({ power }: any): boolean => Number(power) >= low && Number(power) <= high;
  const duelsOf = (id: string) => duels.filter(({ wizard1Id, wizard2Id }) => wizard1Id === id || wizard2Id === id);
  if (data.wizards) {
    const { totalCount, nodes } = data.wizards;
    const ids = (list: readonly any[]) => list.map(({ id }) => id).join();
    promise(totalCount === wizards.length && ids(nodes) === ids(wizards), `${text}: another list`, nodes);
    const isEqual = nodes.every((one: any) => one.power === nodes[0].power && inRange(one));
    promise(isEqual, `${text}: another power`, { nodes, low, high });
    for (const { id, duels: found } of nodes)
      promise(!found || found.totalCount === duelsOf(id).length, `${text}: other duels`, { id, found });
  }
  if (!data.duel) return;
  const { id, wizard1, wizard2 } = data.duel;
  const known = duels.find((duel) => duel.id === id);
  const isKnown = (wizard: any, knownId: string) => !wizard || wizard.id === knownId;
  promise(isKnown(wizard1, known.wizard1Id) && isKnown(wizard2, known.wizard2Id), `${text}: another duel`, data.duel);
  promise(!wizard1 || inRange(wizard1), `${text}: another power`, { wizard1, low, high });
}

/** An operation that fails names a stable code and why. */
export function everyErrorHasACode({ errors = [] }: { errors?: readonly any[] }): void {
  for (const { message, extensions } of errors)
    promise(typeof extensions?.code === 'string' && message.length > 0, 'every error has a code', { message, extensions });
  const internal = errors.find(({ extensions }) => extensions.code === 'INTERNAL_SERVER_ERROR');
  promise(internal === undefined, 'no fault of the node is an internal error', internal);
  const unsupported = errors.find(({ extensions }) => extensions.code === 'METHOD_NOT_SUPPORTED');
  promise(unsupported === undefined, 'every node is supported', unsupported);
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

/** The fields that are read for an event are those of its block, also after a reorg has removed the block. */
export function eventIsOfItsBlock(name: string, { hash, blockHash = hash, block, transaction }: any): void {
  const inBlock = (block?.transactions ?? []).map((one: any) => one.blockHash);
  const isEqual = [block?.hash, transaction?.blockHash, transaction?.receipt?.blockHash, ...inBlock].every(
    (place) => place === undefined || place === blockHash,
  );
  promise(isEqual, `one operation, one block: an event of ${name}`, { blockHash, block, transaction });
}

/** A client can go on after an event whose fields the node has failed to provide. */
export function failedEventNamesItsCursor(name: string, errors: readonly any[], cursor: unknown): void {
  everyErrorHasACode({ errors });
  promise(typeof cursor === 'string', `nothing lost, nothing twice: ${name} has a failed event without its cursor`, errors);
}

/** Once the faults end, the server is ready, and its subscribers have the chain. */
export const recovers = (isRecovered: boolean, name: string, details?: unknown): void =>
  promise(isRecovered, `recovers after the faults: ${name}`, details);

/** Subscriptions, sockets and requests that have ended leave nothing behind. */
export function nothingStays(metrics: string): void {
  const values = ['subscriptions', 'subscription_groups', 'sockets', 'event_streams', 'subscription_cost'].map((name) => [
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

/** The elements of a list that are not in another one, each as often as it is missing. */
export function missingOf(list: readonly string[], present: readonly string[]): string[] {
  const left = [...list];
  for (const one of present) if (left.includes(one)) left.splice(left.indexOf(one), 1);
  return left;
}

/** Present events state the facts of the chain: all since the registration, and no other ones. */
export function eventsAreThoseOfTheChain(
  facts: readonly string[],
  { required, possible }: { readonly required: readonly string[]; readonly possible: readonly string[] },
): void {
  const [missing, extra] = [missingOf(required, facts), missingOf(facts, possible)];
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
