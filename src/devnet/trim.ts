import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Rpc } from './rpc.ts';

/** Blocks between two trims. */
const INTERVAL = 256;
/** Number of the last blocks that a trim keeps: more than any follower walks back. */
const RECENT_BLOCKS = 512;
/** Number of states that anvil has to keep so that those of the built history are never evicted between two trims. */
export const KEPT_STATES = 400;

/** The part of anvil's dump that is changed here. */
interface Dump {
  blocks: readonly { readonly header: { readonly number: string } }[];
  transactions: readonly { readonly block_number: number | string }[];
  historical_states: unknown;
}

export interface Trim {
  /** Trims the chain when its next trim is due. Nothing else may ask anvil meanwhile: for a moment it has no blocks. */
  whenDue(height: number, alone: (task: () => Promise<void>) => Promise<void>): Promise<void>;
}

const packed = async (dump: Dump): Promise<string> => `0x${(await promisify(gzip)(JSON.stringify(dump))).toString('hex')}`;
const unpacked = async (text: string): Promise<Dump> =>
  JSON.parse((await promisify(gunzip)(Buffer.from(text.slice(2), 'hex'))).toString());

/**
 * Bounds what anvil stores: it has no option to forget old blocks and transactions, and each of its states has the hashes of all blocks. Every 256
 * blocks the chain is dumped, and loaded again with its built history and the last 512 blocks. Hashes, balances and the history's states stay;
 * states between the history and the head are gone, as are transactions in the pool.
 */
export async function openTrim(rpc: Rpc, historyBlock: number, prepare: () => Promise<unknown>): Promise<Trim> {
  const { historical_states } = await unpacked(await rpc.call<string>('anvil_dumpState', true));
  let due = historyBlock + INTERVAL;

  const trim = async () => {
    const { number, timestamp } = await rpc.call<{ number: string; timestamp: string }>('eth_getBlockByNumber', 'latest', false);
    const oldest = Number(number) - RECENT_BLOCKS;
    const isKept = (height: number) => height <= historyBlock || height > oldest;
    const dump = await unpacked(await rpc.call<string>('anvil_dumpState'));
    const trimmed = await packed({
      ...dump,
      blocks: dump.blocks.filter(({ header }) => isKept(Number(header.number))),
      transactions: dump.transactions.filter(({ block_number }) => isKept(Number(block_number))),
      historical_states,
    });
    await rpc.call('anvil_reset');
    await rpc.call('anvil_loadState', trimmed);
    await prepare();
    // The reset has put the clock back to the genesis.
    await rpc.call('evm_setTime', Math.max(Math.floor(Date.now() / 1000), Number(timestamp)));
    due = Number(number) + INTERVAL;
  };

  return {
    async whenDue(height, alone) {
      if (height >= due) await alone(trim);
    },
  };
}
