import { hex } from './chain.ts';
import { SimRpcError } from './rpc-simulator.ts';

/** A pending transaction, as far as a test needs one. */
export interface SimPendingTransaction {
  readonly hash: string;
}

export const pendingOf = (n: number): SimPendingTransaction => ({ hash: `0x${n.toString(16).padStart(64, '0')}` });

/** Ways in which a node may announce pending transactions, by the parameters of `eth_subscribe`. */
export const SVC_FULL_PENDING_SUBSCRIPTION = ['svc_newFullPendingTransactions'];
export const FULL_PENDING_SUBSCRIPTION = ['newPendingTransactions', true];
export const PENDING_HASHES_SUBSCRIPTION = ['newPendingTransactions'];

/** The pool of a simulated node: what is pending, and the filters that poll it. */
export class SimPool {
  /** The subscriptions that it has. */
  supportedSubscriptions: readonly (readonly unknown[])[] = [];
  /** Whether it has filters. */
  supportsFilters = false;
  readonly #pending = new Map<string, SimPendingTransaction>();
  readonly #filters = new Map<string, string[]>();
  #last = 0;

  has(params: readonly unknown[]): boolean {
    return this.supportedSubscriptions.some((kind) => JSON.stringify(kind) === JSON.stringify(params));
  }

  add(transaction: SimPendingTransaction): void {
    this.#pending.set(transaction.hash, transaction);
    for (const changes of this.#filters.values()) changes.push(transaction.hash);
  }

  /** How many filters there are. */
  get openFilters(): number {
    return this.#filters.size;
  }

  /** Forgets all filters, as a node does that is started anew. */
  restart(): void {
    this.#filters.clear();
  }

  /** The answer to a call about the pool; undefined when it is about something else. */
  respond(method: string, [first]: readonly any[]): { result: unknown } | undefined {
    if (method === 'eth_getTransactionByHash') return { result: this.#pending.get(first) ?? null };
    if (!/Filter/.test(method) || !this.supportsFilters) return undefined;
    if (method === 'eth_newPendingTransactionFilter') {
      const id = hex(++this.#last);
      this.#filters.set(id, []);
      return { result: id };
    }
    const changes = this.#filters.get(first);
    if (!changes) throw new SimRpcError(-32000, 'filter not found');
    if (method === 'eth_uninstallFilter') return { result: this.#filters.delete(first) };
    return { result: changes.splice(0) };
  }
}
