import { randomBytes } from 'node:crypto';
import type { Wire } from './behaviour/anvil-fixes.ts';
import type { Change, Header, Seen } from './chain.ts';
import { type LogOptions, logOptions, readParams, string } from './rpc/params.ts';
import { invalidParams } from './rpc/rpc-error.ts';

/** What can be subscribed to. */
export const TOPICS = ['svc_newFullPendingTransactions', 'newHeads', 'logs'] as const;
export type Topic = (typeof TOPICS)[number];

interface Subscription {
  readonly id: string;
  readonly topic: Topic;
  readonly options: LogOptions;
  /** Events that came before the id was told; undefined from then on. */
  waiting: unknown[] | undefined;
}

/** What the calls of one message may do. */
export interface Subscribing {
  /** Parameters of `eth_subscribe`; gives the new id. Its events wait for `release`, for the client cannot tell whose they are. */
  open(params: readonly unknown[]): string;
  /** Whether there was a subscription of this id. */
  cancel(id: string): boolean;
  /** The message has been answered: events go out as they come from here on, after those that waited. */
  release(): void;
}

/** The subscriptions of one connection. Their ids mean nothing on another. */
export interface Subscriptions {
  readonly size: number;
  forMessage(): Subscribing;
  tellChange(change: Change): void;
  tellPending(transaction: Wire): void;
}

/** A header with exactly the seed's fields: no hash, and the root of the receipts in the singular. */
export function headerOf({ receiptsRoot, ...header }: Header) {
  const { difficulty, extraData, gasLimit, gasUsed, logsBloom, miner, nonce, number } = header;
  const { parentHash, sha3Uncles, stateRoot, timestamp, transactionsRoot } = header;
  return {
    ...{ difficulty, extraData, gasLimit, gasUsed, logsBloom, miner, nonce, number },
    ...{ parentHash, receiptRoot: receiptsRoot, sha3Uncles, stateRoot, timestamp, transactionsRoot },
  };
}

/** Whether a log passes: an address of the list, and at each position that is not null one of its topics. Anything may follow. */
export function passes(log: Wire, { address, topics }: LogOptions): boolean {
  const addresses = [address ?? []].flat();
  if (addresses.length > 0 && !addresses.includes(String(log.address).toLowerCase())) return false;
  const told = log.topics as readonly string[];
  return (topics ?? []).every((wanted, place) => {
    const any = [wanted ?? []].flat();
    return any.length === 0 || any.includes(told[place]?.toLowerCase() ?? '');
  });
}

/** Sends to one connection: `send` gets the topic and the whole message. */
export function openSubscriptions(send: (topic: Topic, message: string) => void): Subscriptions {
  const all = new Map<string, Subscription>();

  const event = ({ id, topic, waiting }: Subscription, result: unknown) => {
    if (waiting) return void waiting.push(result);
    send(topic, JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params: { subscription: id, result } }));
  };
  const to = (topic: Topic) => [...all.values()].filter((one) => one.topic === topic);
  const tellLogs = (logs: readonly Wire[], removed: boolean) => {
    for (const one of to('logs')) for (const log of logs) if (passes(log, one.options)) event(one, { ...log, removed });
  };
  return {
    get size() {
      return all.size;
    },
    forMessage() {
      const opened: Subscription[] = [];
      return {
        open(params) {
          const [topic, options] = readSubscription(params);
          const one: Subscription = { id: `0x${randomBytes(16).toString('hex')}`, topic, options, waiting: [] };
          all.set(one.id, one);
          opened.push(one);
          return one.id;
        },
        cancel: (id) => all.delete(id),
        release() {
          for (const one of opened) {
            const waited = one.waiting ?? [];
            one.waiting = undefined;
            if (all.has(one.id)) for (const result of waited) event(one, result);
          }
        },
      };
    },
    // Old logs first, by ascending height, as geth does it; then each new block with its header before its logs.
    tellChange({ removed, added }) {
      tellLogs(logsOf(removed), true);
      for (const { header, logs } of added) {
        for (const one of to('newHeads')) event(one, headerOf(header));
        tellLogs(logs, false);
      }
    },
    tellPending(transaction) {
      for (const one of to('svc_newFullPendingTransactions')) event(one, transaction);
    },
  };
}

const logsOf = (blocks: readonly Seen[]) => blocks.flatMap(({ logs }) => logs);

/** A type, and options for `logs` alone. */
function readSubscription(params: readonly unknown[]): [Topic, LogOptions] {
  const [name] = readParams([string], params.slice(0, 1));
  const topic = TOPICS.find((one) => one === name);
  if (!topic) throw invalidParams(`no such subscription type, want one of ${TOPICS.join(', ')}`);
  if (topic === 'logs') return [topic, readParams([string, logOptions.default({})], params)[1]];
  if (params.length > 1) throw invalidParams(`${topic} takes no options`);
  return [topic, {}];
}
