import { randomBytes } from 'node:crypto';
import type { RpcJsonObject } from './behaviour/anvil-fixes.ts';
import type { AnvilChainChange, AnvilHeader, BlockWithLogs } from './chain.ts';
import { type LogSubscriptionOptions, logOptionsParam, readParams, stringParam } from './rpc/params.ts';
import { invalidParams } from './rpc/rpc-error.ts';

/** The topics of subscriptions. */
const SUBSCRIPTION_TOPICS = ['svc_newFullPendingTransactions', 'newHeads', 'logs'] as const;
type SubscriptionTopic = (typeof SUBSCRIPTION_TOPICS)[number];

interface Subscription {
  readonly id: string;
  readonly topic: SubscriptionTopic;
  readonly options: LogSubscriptionOptions;
  /** Events before the response with the id was sent; undefined afterwards. */
  buffered: unknown[] | undefined;
}

/** Subscription calls of one message. */
export interface MessageSubscriptions {
  /** Subscribes with the parameters of `eth_subscribe` and returns the id. Events wait for `flush`, because the client does not know the id yet. */
  subscribe(params: readonly unknown[]): string;
  /** Whether the id was subscribed. */
  unsubscribe(id: string): boolean;
  /** Call it after the response was sent. Sends waiting events, and sends later events immediately. */
  flush(): void;
}

/** The subscriptions of one connection. Ids are not valid on other connections. */
export interface ConnectionSubscriptions {
  readonly size: number;
  forMessage(): MessageSubscriptions;
  publishChange(change: AnvilChainChange): void;
  publishPending(transaction: RpcJsonObject): void;
}

/** A header with exactly the documented fields: without a hash, with `receiptRoot`. */
function newHeadsHeader({ receiptsRoot, ...header }: AnvilHeader) {
  const { difficulty, extraData, gasLimit, gasUsed, logsBloom, miner, nonce, number } = header;
  const { parentHash, sha3Uncles, stateRoot, timestamp, transactionsRoot } = header;
  return {
    ...{ difficulty, extraData, gasLimit, gasUsed, logsBloom, miner, nonce, number },
    ...{ parentHash, receiptRoot: receiptsRoot, sha3Uncles, stateRoot, timestamp, transactionsRoot },
  };
}

/** Whether a log matches: one of the addresses, and one of the topics in each position that is not null. */
export function matchesLogOptions(log: RpcJsonObject, { address, topics }: LogSubscriptionOptions): boolean {
  const addresses = [address ?? []].flat();
  if (addresses.length > 0 && !addresses.includes(String(log.address).toLowerCase())) return false;
  const logTopics = log.topics as readonly string[];
  return (topics ?? []).every((topic, position) => {
    const alternatives = [topic ?? []].flat();
    return alternatives.length === 0 || alternatives.includes(logTopics[position]?.toLowerCase() ?? '');
  });
}

/** Creates the subscriptions of a connection. `send` receives the topic and the complete message. */
export function createConnectionSubscriptions(
  send: (topic: SubscriptionTopic, message: string) => void,
): ConnectionSubscriptions {
  const subscriptionsById = new Map<string, Subscription>();

  const sendEvent = ({ id, topic, buffered }: Subscription, result: unknown) => {
    if (buffered) return void buffered.push(result);
    send(topic, JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params: { subscription: id, result } }));
  };
  const subscribersOf = (topic: SubscriptionTopic) =>
    [...subscriptionsById.values()].filter((subscription) => subscription.topic === topic);
  const publishLogs = (logs: readonly RpcJsonObject[], removed: boolean) => {
    for (const subscription of subscribersOf('logs'))
      for (const log of logs) if (matchesLogOptions(log, subscription.options)) sendEvent(subscription, { ...log, removed });
  };
  return {
    get size() {
      return subscriptionsById.size;
    },
    forMessage() {
      const opened: Subscription[] = [];
      return {
        subscribe(params) {
          const [topic, options] = parseSubscription(params);
          const subscription: Subscription = { id: `0x${randomBytes(16).toString('hex')}`, topic, options, buffered: [] };
          subscriptionsById.set(subscription.id, subscription);
          opened.push(subscription);
          return subscription.id;
        },
        unsubscribe: (id) => subscriptionsById.delete(id),
        flush() {
          for (const subscription of opened) {
            const waiting = subscription.buffered ?? [];
            subscription.buffered = undefined;
            if (subscriptionsById.has(subscription.id)) for (const result of waiting) sendEvent(subscription, result);
          }
        },
      };
    },
    // Send events in the order of geth: removed logs first, by ascending height; then each new block, the header before
    // its logs.
    publishChange({ removed, added }) {
      publishLogs(logsOf(removed), true);
      for (const { header, logs } of added) {
        for (const subscription of subscribersOf('newHeads')) sendEvent(subscription, newHeadsHeader(header));
        publishLogs(logs, false);
      }
    },
    publishPending(transaction) {
      for (const subscription of subscribersOf('svc_newFullPendingTransactions')) sendEvent(subscription, transaction);
    },
  };
}

const logsOf = (blocks: readonly BlockWithLogs[]) => blocks.flatMap(({ logs }) => logs);

/** Parses the topic, and the options that only `logs` has. */
function parseSubscription(params: readonly unknown[]): [SubscriptionTopic, LogSubscriptionOptions] {
  const [name] = readParams([stringParam], params.slice(0, 1));
  const topic = SUBSCRIPTION_TOPICS.find((known) => known === name);
  if (!topic) throw invalidParams(`no such subscription type, want one of ${SUBSCRIPTION_TOPICS.join(', ')}`);
  if (topic === 'logs') return [topic, readParams([stringParam, logOptionsParam.default({})], params)[1]];
  if (params.length > 1) throw invalidParams(`${topic} takes no options`);
  return [topic, {}];
}
