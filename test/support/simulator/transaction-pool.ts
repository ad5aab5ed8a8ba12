import { hex } from './chain.ts';
import { SimRpcError } from './rpc-simulator.ts';

/** A pending transaction with the fields that tests use. */
export interface SimPendingTransaction {
  readonly hash: string;
}

export const pendingOf = (n: number): SimPendingTransaction => ({ hash: `0x${n.toString(16).padStart(64, '0')}` });

/** Parameters of `eth_subscribe` for pending transactions. */
export const SVC_FULL_PENDING_SUBSCRIPTION = ['svc_newFullPendingTransactions'];
export const FULL_PENDING_SUBSCRIPTION = ['newPendingTransactions', true];
export const PENDING_HASHES_SUBSCRIPTION = ['newPendingTransactions'];

/** The transaction pool of a simulated node: pending transactions and the filters that poll them. */
export class SimPool {
  /** The supported subscriptions, as parameters of `eth_subscribe`. */
  supportedSubscriptions: readonly (readonly unknown[])[] = [];
  /** Whether `eth_newPendingTransactionFilter` is supported. */
  supportsFilters = false;
  readonly #pending = new Map<string, SimPendingTransaction>();
  readonly #filters = new Map<string, string[]>();
  #lastFilterId = 0;

  has(params: readonly unknown[]): boolean {
    return this.supportedSubscriptions.some((kind) => JSON.stringify(kind) === JSON.stringify(params));
  }

  add(transaction: SimPendingTransaction): void {
    this.#pending.set(transaction.hash, transaction);
    for (const changes of this.#filters.values()) changes.push(transaction.hash);
  }

  get openFilters(): number {
    return this.#filters.size;
  }

  /** Removes all filters, as a restart of the node does. */
  restart(): void {
    this.#filters.clear();
  }

  /** Returns the result of a call about the pool; undefined for other calls. */
  respond(method: string, [first]: readonly any[]): { result: unknown } | undefined {
    if (method === 'eth_getTransactionByHash') return { result: this.#pending.get(first) ?? null };
    if (!/Filter/.test(method) || !this.supportsFilters) return undefined;
    if (method === 'eth_newPendingTransactionFilter') {
      const id = hex(++this.#lastFilterId);
      this.#filters.set(id, []);
      return { result: id };
    }
    const changes = this.#filters.get(first);
    if (!changes) throw new SimRpcError(-32000, 'filter not found');
    if (method === 'eth_uninstallFilter') return { result: this.#filters.delete(first) };
    return { result: changes.splice(0) };
  }
}
