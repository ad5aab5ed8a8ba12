import { randomBytes } from 'node:crypto';
import type { RpcJsonObject } from './behaviour/anvil-fixes.ts';
import type { AnvilChainChange, AnvilHeader, BlockWithLogs } from './chain.ts';
import { type LogSubscriptionOptions, logOptionsParam, readParams, string } from './rpc/params.ts';
import { invalidParams } from './rpc/rpc-error.ts';

/** What can be subscribed to. */
export const SUBSCRIPTION_TOPICS = ['svc_newFullPendingTransactions', 'newHeads', 'logs'] as const;
export type SubscriptionTopic = (typeof SUBSCRIPTION_TOPICS)[number];

interface Subscription {
  readonly id: string;
  readonly topic: SubscriptionTopic;
  readonly options: LogSubscriptionOptions;
  /** Events that came before the id was told; undefined from then on. */
  buffered: unknown[] | undefined;
}

/** What the calls of one message may do. */
export interface MessageSubscriptions {
  /** Parameters of `eth_subscribe`; gives the new id. Its events wait for `release`, for the client cannot tell whose they are. */
  subscribe(params: readonly unknown[]): string;
  /** Whether there was a subscription of this id. */
  unsubscribe(id: string): boolean;
  /** The message has been answered: events go out as they come from here on, after those that waited. */
  flush(): void;
}

/** The subscriptions of one connection. Their ids mean nothing on another. */
export interface ConnectionSubscriptions {
  readonly size: number;
  forMessage(): MessageSubscriptions;
  publishChange(change: AnvilChainChange): void;
  publishPending(transaction: RpcJsonObject): void;
}

/** A header with exactly the seed's fields: no hash, and the root of the receipts in the singular. */
export function newHeadsHeader({ receiptsRoot, ...header }: AnvilHeader) {
  const { difficulty, extraData, gasLimit, gasUsed, logsBloom, miner, nonce, number } = header;
  const { parentHash, sha3Uncles, stateRoot, timestamp, transactionsRoot } = header;
  return {
    ...{ difficulty, extraData, gasLimit, gasUsed, logsBloom, miner, nonce, number },
    ...{ parentHash, receiptRoot: receiptsRoot, sha3Uncles, stateRoot, timestamp, transactionsRoot },
  };
}

/** Whether a log passes: an address of the list, and at each position that is not null one of its topics. Anything may follow. */
export function matchesLogOptions(log: RpcJsonObject, { address, topics }: LogSubscriptionOptions): boolean {
  const addresses = [address ?? []].flat();
  if (addresses.length > 0 && !addresses.includes(String(log.address).toLowerCase())) return false;
  const told = log.topics as readonly string[];
  return (topics ?? []).every((wanted, place) => {
    const any = [wanted ?? []].flat();
    return any.length === 0 || any.includes(told[place]?.toLowerCase() ?? '');
  });
}

/** Sends to one connection: `send` gets the topic and the whole message. */
export function createConnectionSubscriptions(
  send: (topic: SubscriptionTopic, message: string) => void,
): ConnectionSubscriptions {
  const all = new Map<string, Subscription>();

  const event = ({ id, topic, buffered }: Subscription, result: unknown) => {
    if (buffered) return void buffered.push(result);
    send(topic, JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params: { subscription: id, result } }));
  };
  const to = (topic: SubscriptionTopic) => [...all.values()].filter((one) => one.topic === topic);
  const tellLogs = (logs: readonly RpcJsonObject[], removed: boolean) => {
    for (const one of to('logs'))
      for (const log of logs) if (matchesLogOptions(log, one.options)) event(one, { ...log, removed });
  };
  return {
    get size() {
      return all.size;
    },
    forMessage() {
      const opened: Subscription[] = [];
      return {
        subscribe(params) {
          const [topic, options] = parseSubscription(params);
          const one: Subscription = { id: `0x${randomBytes(16).toString('hex')}`, topic, options, buffered: [] };
          all.set(one.id, one);
          opened.push(one);
          return one.id;
        },
        unsubscribe: (id) => all.delete(id),
        flush() {
          for (const one of opened) {
            const waited = one.buffered ?? [];
            one.buffered = undefined;
            if (all.has(one.id)) for (const result of waited) event(one, result);
          }
        },
      };
    },
    // Old logs first, by ascending height, as geth does it; then each new block with its header before its logs.
    publishChange({ removed, added }) {
      tellLogs(logsOf(removed), true);
      for (const { header, logs } of added) {
        for (const one of to('newHeads')) event(one, newHeadsHeader(header));
        tellLogs(logs, false);
      }
    },
    publishPending(transaction) {
      for (const one of to('svc_newFullPendingTransactions')) event(one, transaction);
    },
  };
}

const logsOf = (blocks: readonly BlockWithLogs[]) => blocks.flatMap(({ logs }) => logs);

/** A type, and options for `logs` alone. */
function parseSubscription(params: readonly unknown[]): [SubscriptionTopic, LogSubscriptionOptions] {
  const [name] = readParams([string], params.slice(0, 1));
  const topic = SUBSCRIPTION_TOPICS.find((one) => one === name);
  if (!topic) throw invalidParams(`no such subscription type, want one of ${SUBSCRIPTION_TOPICS.join(', ')}`);
  if (topic === 'logs') return [topic, readParams([string, logOptionsParam.default({})], params)[1]];
  if (params.length > 1) throw invalidParams(`${topic} takes no options`);
  return [topic, {}];
}
