import type { SubscribePayload } from 'graphql-ws';
// @ts-expect-error: the examples are plain JavaScript.
import { follow } from '../../examples/follow.mjs';
import { decodeLogCursor, encodeLogCursor, MAX_LOG_INDEX } from '../../src/domains/chain/log/cursor.ts';
import type { Data } from '../../src/ethereum/hex.ts';
import { HeadReplayChecker, LogReplayChecker } from '../support/subscriptions/replay-checker.ts';
import { createEventStreamClient, createSocketClient } from './client.ts';
import { eventIsOfItsBlock, failedEventNamesItsCursor, nothingLostNothingTwice } from './promises.ts';
import type { World } from './world.ts';

/** A client that follows a subscription through lost connections. */
interface Subscriber {
  readonly name: string;
  readonly isComplete: boolean;
  /** Throws an error if events were lost or repeated. */
  check(): void;
  leave(): void;
}

interface Subscription {
  readonly name: string;
  readonly query: string;
  /** The cursor after which it starts. */
  readonly after: string;
  readonly headers?: Readonly<Record<string, string>>;
  cursorOf(data: any): string;
  onEvent(event: any): void;
  /** Receives the cursor of an event whose fields the node has failed to provide. */
  onFailedEvent?(cursor: Data): void;
}

/** Share of the subscribers with event streams instead of WebSockets. */
const EVENT_STREAMS = 0.3;

/** Follows a subscription through lost connections; returns a function that ends it. */
export function followSubscription(
  world: World,
  { name, query, after, headers = {}, cursorOf, onEvent, onFailedEvent }: Subscription,
): () => void {
  const { draw, counts, fail } = world;
  let hasLeft = false;
  const client = (draw.chance(EVENT_STREAMS) ? createEventStreamClient : createSocketClient)(world.url, headers);
  const source = {
    iterate(request: SubscribePayload) {
      // A code after which `follow` does not subscribe again.
      if (hasLeft) throw Object.assign(new Error('the subscriber has left'), { code: 4403 });
      return client.iterate(request);
    },
  };
  const onBreak = (error: unknown, mayMissEvents: boolean) => {
    counts.resumptions += 1;
    if (mayMissEvents && !hasLeft) fail(new Error(`nothing lost: ${name} cannot resume: ${JSON.stringify(error)}`));
  };
  const failed = ({ errors, cursor }: any) => {
    failedEventNamesItsCursor(name, errors, cursor);
    onFailedEvent!(cursor);
  };
  const options = { query, cursorOf, after, onBreak, pauseMs: 100, onFailedEvent: onFailedEvent && failed };
  const read = async () => {
    for await (const data of follow(source, options)) {
      if (hasLeft) return;
      counts.events += 1;
      onEvent(Object.values(data)[0]);
    }
  };
  read().catch((error) => hasLeft || fail(error));
  return () => {
    hasLeft = true;
    client.dispose();
  };
}

const LOG = 'cursor removed index blockHash blockNumber data topics transactionHash account { address }';
/** Fields that the server reads for each log and for each head: a reorg may remove their block before. */
const READ_FOR_LOGS =
  'block { hash timestamp } transaction { blockHash value from { address } receipt { blockHash cumulativeGasUsed } } read: account { balance }';
const READ_FOR_HEADS = 'number hash parentHash block { hash transactions { hash blockHash value } }';

/** Starts subscribers of heads and of logs, which compare what they receive with the chain. */
export function startSubscribers(world: World, { hasLogs, hasReads }: { readonly hasLogs: boolean; readonly hasReads: boolean }) {
  const { draw, chain } = world;
  const all = new Set<Subscriber>();
  const add = (subscription: Omit<Subscription, 'onEvent'>, checker: HeadReplayChecker | LogReplayChecker) => {
    const { name } = subscription;
    const onEvent = (event: any) => {
      checker.apply(event);
      eventIsOfItsBlock(name, event);
    };
    const onFailedEvent = (cursor: Data) => {
      if (checker instanceof HeadReplayChecker) return checker.apply(chain.block(cursor)!.header as never);
      const { hash, index, removed } = decodeLogCursor(cursor);
      const { address, ...log } = chain.block(hash)!.logs[index]!;
      checker.apply({ ...log, index: log.logIndex, removed, account: { address } } as never);
    };
    const leave = followSubscription(world, { ...subscription, onEvent, onFailedEvent });
    all.add({
      name,
      leave,
      get isComplete() {
        return checker.isComplete;
      },
      check: () => nothingLostNothingTwice(name, checker.differences()),
    });
  };
  const addHeads = (name: string) => {
    const fields = draw.pick([
      'number hash parentHash',
      'hash parentHash number timestamp',
      ...(hasReads ? [READ_FOR_HEADS] : []),
    ]);
    const query = `subscription ($after: Bytes32) { newHeads(after: $after) { ${fields} } }`;
    add({ name, query, after: chain.head.hash, cursorOf: ({ newHeads }) => newHeads.hash }, new HeadReplayChecker(chain));
  };
  const addLogs = (name: string) => {
    const { height, hash } = chain.head;
    const after = encodeLogCursor({ height, hash, index: MAX_LOG_INDEX, removed: false });
    const address = `0x${'0'.repeat(39)}${1 + draw.below(5)}`;
    const [filter, text] = draw.pick([
      [{}, ''],
      [{ addresses: [address] }, `filter: { addresses: ["${address}"] }, `],
    ] as const);
    const query = `subscription ($after: String) { logs(${text}after: $after) { ${LOG} ${hasReads ? draw.pick(['', READ_FOR_LOGS]) : ''} } }`;
    add({ name, query, after, cursorOf: ({ logs }) => logs.cursor }, new LogReplayChecker(chain, filter));
  };
  for (let i = draw.below(2); i >= 0; i--) addHeads(`heads ${i}`);
  for (let i = hasLogs ? draw.below(3) : -1; i >= 0; i--) addLogs(`logs ${i}`);
  let guests = 0;
  return {
    /** A subscriber joins, or one that has joined leaves. */
    joinOrLeave(): void {
      const leaving = [...all].find(({ name }) => name.startsWith('guest'));
      if (leaving && draw.chance(0.5)) {
        all.delete(leaving);
        leaving.leave();
      } else if (all.size < 8) (hasLogs ? draw.pick([addHeads, addLogs]) : addHeads)(`guest ${++guests}`);
    },
    /** Names of the subscribers that lack a part of the chain. */
    lacking: () => [...all].filter(({ isComplete }) => !isComplete).map(({ name }) => name),
    check(): void {
      for (const subscriber of all) subscriber.check();
    },
    leave(): void {
      for (const { leave } of all) leave();
    },
  };
}
