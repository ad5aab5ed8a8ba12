import { getCreateAddress } from 'ethers';
import type { AnvilRpc } from '../anvil/rpc.ts';
import type { DevnetContract, DevnetLandmarks, DevnetTournament } from '../description.ts';
import { tournamentCreation } from '../tournament/contract-calls.ts';
import { buildTournamentHistory } from '../tournament/history.ts';
import { readArtifact } from './artifacts.ts';
import { createBlockWriter } from './blocks.ts';
import { createSeededRandom } from './random.ts';
import { type DevnetToken, thousandths, tokenDeployments } from './tokens.ts';
import { randomTransactions, type TrafficParticipants } from './traffic.ts';
import { accessListTransfer, approve, etherTransfer, transfer, transferFrom } from './transaction-requests.ts';

const CROWDED_BLOCK_TRANSACTIONS = 240;
/** Blocks before the crowded block; ten blocks of the tournament follow it. */
const BACKGROUND_BLOCKS = 10;
const ETHER = 10n ** 18n;

export interface DevnetWorld {
  readonly participants: TrafficParticipants;
  readonly contracts: readonly DevnetContract[];
  readonly tournament: DevnetTournament;
  readonly landmarks: DevnetLandmarks;
}

/** The address of Multicall3 on every chain. */
const MULTICALL3_ADDRESS = '0xca11bde05977b3631167028862be2a173976ca11';

/** The system contract of EIP-2935, which stores the hashes of the last 8,191 blocks. */
const HISTORY_STORAGE_ADDRESS = '0x0000f90827f1c53a10cb7a02335b175320002935';

/**
 * Removes the contract of EIP-2935. Anvil copies the state and computes its root for each block, and a block with 8,191
 * more slots takes fifty times as long.
 */
export const removeBlockHashes = (rpc: AnvilRpc) => rpc.call('anvil_setCode', HISTORY_STORAGE_ADDRESS, '0x');

/** Calls the creation code, which returns the code of the contract. */
async function deployMulticall(rpc: AnvilRpc): Promise<void> {
  const code = await rpc.call('eth_call', { data: readArtifact('Multicall3').bytecode }, 'latest');
  await rpc.call('anvil_setCode', MULTICALL3_ADDRESS, code);
}

/**
 * Mines the history of the chain and sets the clock of the chain to the current time. At the end of the history the
 * guest receives amounts of three tokens. Equal seeds give equal hashes; another seed changes the traffic and the
 * duels, but no address of a contract and no block number.
 */
export async function buildWorld(
  rpc: AnvilRpc,
  genesisTime: number,
  people: readonly string[],
  guest: string,
  seed: number,
): Promise<DevnetWorld> {
  await deployMulticall(rpc);
  await removeBlockHashes(rpc);
  const mine = createBlockWriter(rpc, genesisTime);
  const random = createSeededRandom(seed);
  const deployments = tokenDeployments(people);
  const tokens = deployments.map(({ token }) => token);
  const participants = { people, tokens };
  const [alice, bob, carol] = people as [string, string, string];
  // The account after the tokens' creators has nonce 0, so the address of the tournament never changes.
  const tournamentOwner = people[deployments.length]!;
  const [mana] = tokens as [(typeof tokens)[0]];
  const randomMana = () => thousandths(mana, 1 + random.nextInt(500_000));
  const next = (index: number) => people[(index + 1) % people.length]!;

  const creations = await mine(deployments.map(({ creation }) => creation));
  const initialTransfers = deployments.flatMap(({ token, creation: { from } }) =>
    people.filter((person) => person !== from).map((to) => transfer(from, token.address, to, thousandths(token, 1_000_000_000))),
  );
  // The contract creation is first. The fee of a transaction, and so its hash, depends on the number of transactions after it; in this order the
  // documented hashes of the transfers do not change.
  const transfersBlock = await mine([tournamentCreation(tournamentOwner), ...initialTransfers]);
  const approvals = await mine(
    people.map((owner, index) => approve(owner, mana.address, next(index), randomMana() + randomMana())),
  );
  await mine(people.map((owner, index) => transferFrom(next(index), mana.address, owner, next(index), 1n)));
  const legacy = await mine([etherTransfer(alice, bob, 2n * ETHER)], 'legacy');
  const accessList = await mine([accessListTransfer(bob, mana.address, carol, randomMana())]);
  const feeMarket = await mine([etherTransfer(carol, alice, ETHER)]);
  const empty = await mine([]);
  const reverted = await mine([transfer(alice, mana.address, bob, 10n ** 30n)]);
  for (let block = 0; block < BACKGROUND_BLOCKS; block += 1)
    await mine(randomTransactions(1 + random.nextInt(5), participants, random));
  const crowded = await mine(randomTransactions(CROWDED_BLOCK_TRANSACTIONS, participants, random));
  const address = getCreateAddress({ from: tournamentOwner, nonce: 0 }).toLowerCase();
  const tournament = await buildTournamentHistory({
    rpc,
    address,
    people,
    // A separate sequence, so that duels do not change the traffic.
    random: createSeededRandom(~seed),
    mine: (moves) => mine([...moves, ...randomTransactions(1 + random.nextInt(5), participants, random)]),
  });
  const [, crown, rune] = tokens as [DevnetToken, DevnetToken, DevnetToken];
  // Last, so that no fee and no hash of the transactions before changes.
  const gifts = [
    transfer(alice, mana.address, guest, thousandths(mana, 250_000)),
    transfer(bob, crown.address, guest, thousandths(crown, 40_500)),
    transfer(carol, rune.address, guest, thousandths(rune, 7_000)),
  ];
  const last = await mine([...randomTransactions(3, participants, random), ...gifts]);

  await rpc.call('evm_setTime', Math.floor(Date.now() / 1000));
  return {
    participants,
    contracts: tokens.map((token, index) => ({
      ...token,
      transactionHash: creations.transactionHashes[index]!,
      blockNumber: creations.number,
    })),
    tournament: { address, transactionHash: transfersBlock.transactionHashes[0]!, blockNumber: transfersBlock.number },
    landmarks: {
      crowdedBlock: crowded.number,
      emptyBlock: empty.number,
      revertedTransaction: reverted.transactionHashes[0]!,
      legacyTransaction: legacy.transactionHashes[0]!,
      accessListTransaction: accessList.transactionHashes[0]!,
      feeMarketTransaction: feeMarket.transactionHashes[0]!,
      contractCreation: creations.transactionHashes[0]!,
      tokenTransfer: transfersBlock.transactionHashes[1]!,
      approval: approvals.transactionHashes[0]!,
      lastBlock: last.number,
      ...tournament,
    },
  };
}
