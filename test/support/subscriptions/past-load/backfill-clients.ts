import type { LogFilter } from '../../../../src/ethereum/log-filters.ts';
import { SimChain, type SimChainOptions } from '../../simulator/chain.ts';
import { PastHeadChecker, PastLogChecker } from './past-checkers.ts';
import { openLoadSocket, openLoadSockets } from './socket.ts';

/**
 * A process of subscribers that begin in the past. It has a copy of the chain: blocks depend on the options and the reorgs only. A test
 * sends each reorg to the process before its node has the reorg.
 */
export type BackfillCommand =
  | { readonly chain: SimChainOptions }
  | { readonly reorg: readonly [depth: number, length: number] }
  | { readonly open: { readonly url: string; readonly backfills: readonly Backfill[] } }
  | { readonly status: true };

export interface Backfill {
  readonly field: 'logs' | 'logPages' | 'newHeads';
  readonly fromBlock: number;
  readonly filter: LogFilter;
}

export interface BackfillStatus {
  /** The number of subscribers that have received all blocks below the newest 256. */
  readonly caughtUp: number;
  /** The number of subscribers that have all events of the chain. */
  readonly complete: number;
  /** The numbers of received messages and of events: a page has several. */
  readonly messages: number;
  readonly events: number;
  readonly removed: number;
  readonly errors: readonly string[];
}

const LOG = 'removed index blockHash topics';
const HEAD = 'number hash parentHash';
const queryOf = ({ field }: Backfill): string =>
  field === 'newHeads'
    ? `subscription ($fromBlock: Long) { newHeads(fromBlock: $fromBlock) { ${HEAD} } }`
    : `subscription ($fromBlock: Long, $filter: LogSubscriptionFilter) {
        ${field}(fromBlock: $fromBlock, filter: $filter) { ${field === 'logs' ? LOG : `cursor nodes { ${LOG} }`} }
      }`;

let chain: SimChain;
let checkers: (PastLogChecker | PastHeadChecker)[] = [];
const errors: string[] = [];
let messages = 0;

function fail(index: number, reason: string): void {
  if (errors.length < 10) errors.push(`backfill ${index}: ${reason}`);
}

function receive(message: Buffer, index: number): void {
  messages += 1;
  const { type, payload } = JSON.parse(String(message));
  if (type !== 'next' || payload.errors) {
    fail(index, String(message));
    return;
  }
  const { logs, logPages, newHeads } = payload.data;
  const checker = checkers[index]!;
  try {
    if (checker instanceof PastHeadChecker) checker.apply(newHeads);
    else for (const log of logPages?.nodes ?? [logs]) checker.apply(log);
  } catch (error) {
    fail(index, String(error));
  }
}

function open(url: string, backfills: readonly Backfill[]): Promise<void> {
  checkers = backfills.map(({ field, fromBlock, filter }) =>
    field === 'newHeads' ? new PastHeadChecker(chain, fromBlock) : new PastLogChecker(chain, fromBlock, filter),
  );
  return openLoadSockets(backfills.length, (index) => {
    const backfill = backfills[index]!;
    const { fromBlock, filter } = backfill;
    const operation = { query: queryOf(backfill), variables: { fromBlock: `0x${fromBlock.toString(16)}`, filter } };
    return openLoadSocket(
      url,
      { backfill: operation },
      (message) => receive(message, index),
      (reason) => fail(index, reason),
    );
  });
}

const readStatus = (): BackfillStatus => ({
  caughtUp: checkers.filter((checker) => checker.isCaughtUp).length,
  complete: checkers.filter((checker) => checker.isComplete).length,
  messages,
  events: checkers.reduce((sum, { counts }) => sum + counts.added, 0),
  removed: checkers.reduce((sum, { counts }) => sum + counts.removed, 0),
  errors,
});

process.on('message', async (command: BackfillCommand) => {
  if ('chain' in command) chain = new SimChain(command.chain);
  else if ('reorg' in command) chain.reorg(...command.reorg);
  else if ('open' in command) await open(command.open.url, command.open.backfills);
  process.send!('status' in command ? readStatus() : 'done');
});
process.on('disconnect', () => process.exit());
