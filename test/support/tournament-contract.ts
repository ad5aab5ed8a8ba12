import { toQuantity } from 'ethers';
import type { Devnet } from '../../devnet/src/index.ts';
import { tournamentAbi } from '../../devnet/src/tournament/contract-calls.ts';
import type { RpcLog } from '../../src/ethereum/rpc-types.ts';
import { rpc } from './graph/devnet-setup.ts';

/** An event of the tournament contract; arguments are lower-case text. */
export interface DecodedEvent {
  readonly event: string;
  readonly block: number;
  readonly args: Readonly<Record<string, string>>;
}

/** Decodes a log of the tournament contract. */
export function decodeEvent({ topics, data, blockNumber }: RpcLog): DecodedEvent {
  const { name, args } = tournamentAbi.parseLog({ topics, data })!;
  const entries = Object.entries(args.toObject()).map(([key, value]) => [key, String(value).toLowerCase()]);
  return { event: name, block: Number(blockNumber), args: Object.fromEntries(entries) };
}

/** Returns the tournament events of a block range. */
export async function eventsOf(
  { description: { endpoints, tournament } }: Devnet,
  from: number,
  to: number,
): Promise<DecodedEvent[]> {
  const filter = { address: tournament.address, fromBlock: toQuantity(from), toBlock: toQuantity(to) };
  return (await rpc(endpoints.http, 'eth_getLogs', [filter])).map(decodeEvent);
}

/** Calls a view function of the tournament contract at the latest block. */
export async function readContract({ description: { endpoints, tournament } }: Devnet, name: string, ...args: unknown[]) {
  const data = tournamentAbi.encodeFunctionData(name, args);
  return tournamentAbi.decodeFunctionResult(
    name,
    await rpc(endpoints.http, 'eth_call', [{ to: tournament.address, data }, 'latest']),
  );
}
