import { getCreateAddress } from 'ethers';
import type { Rpc } from '../anvil/rpc.ts';
import type { DevnetContract, DevnetLandmarks, DevnetTournament } from '../description.ts';
import { createTournament, playHistory } from '../tournament/index.ts';
import { artifact } from './artifacts.ts';
import { blockWriter } from './blocks.ts';
import { seeded } from './random.ts';
import { thousandths, tokensOf } from './tokens.ts';
import { type Cast, someTransactions } from './traffic.ts';
import { announcedTransfer, approve, pay, transfer, transferFrom } from './transaction-requests.ts';

const CROWD = 240;
/** Before the crowded block. After it come the ten of the tournament. */
const QUIET_BLOCKS = 10;
const ETHER = 10n ** 18n;

export interface World {
  readonly cast: Cast;
  readonly contracts: readonly DevnetContract[];
  readonly tournament: DevnetTournament;
  readonly landmarks: DevnetLandmarks;
}

/** Where wallets and servers look for Multicall3, on every chain. */
const MULTICALL3 = '0xca11bde05977b3631167028862be2a173976ca11';

/** The system contract of EIP-2935, which stores the hashes of the last 8,191 blocks. */
const BLOCK_HASHES = '0x0000f90827f1c53a10cb7a02335b175320002935';

/**
 * Removes the history of block hashes from the state: anvil copies all of the state and computes its root anew for each block, and with 8,191
 * slots more a block takes fifty times as long.
 */
export const removeBlockHashes = (rpc: Rpc) => rpc.call('anvil_setCode', BLOCK_HASHES, '0x');

/** What the creation code returns is the contract's own. */
async function deployMulticall(rpc: Rpc): Promise<void> {
  const code = await rpc.call('eth_call', { data: artifact('Multicall3').bytecode }, 'latest');
  await rpc.call('anvil_setCode', MULTICALL3, code);
}

/**
 * Writes the history of the chain, block by block, and sets its clock to the present. The same seed on the same genesis gives the same
 * hashes; another seed changes the traffic and the duels, never the contracts' addresses or the blocks' numbers.
 */
export async function buildWorld(rpc: Rpc, genesisTime: number, people: readonly string[], seed: number): Promise<World> {
  await deployMulticall(rpc);
  await removeBlockHashes(rpc);
  const mine = blockWriter(rpc, genesisTime);
  const random = seeded(seed);
  const births = tokensOf(people);
  const tokens = births.map(({ token }) => token);
  const cast = { people, tokens };
  const [alice, bob, carol] = people as [string, string, string];
  // By the one after the tokens' creators, who has done nothing else yet: its address does not change either.
  const master = people[births.length]!;
  const [mana] = tokens as [(typeof tokens)[0]];
  const someMana = () => thousandths(mana, 1 + random.below(500_000));
  const next = (index: number) => people[(index + 1) % people.length]!;

  const creations = await mine(births.map(({ creation }) => creation));
  const presents = births.flatMap(({ token, creation: { from } }) =>
    people.filter((person) => person !== from).map((to) => transfer(from, token.address, to, thousandths(token, 1_000_000_000))),
  );
  // In front: what a transaction offers, and so its hash, depends on how many come behind it, and people write down the presents' hashes.
  const gifts = await mine([createTournament(master), ...presents]);
  const approvals = await mine(people.map((owner, index) => approve(owner, mana.address, next(index), someMana() + someMana())));
  await mine(people.map((owner, index) => transferFrom(next(index), mana.address, owner, next(index), 1n)));
  const legacy = await mine([pay(alice, bob, 2n * ETHER)], 'legacy');
  const accessList = await mine([announcedTransfer(bob, mana.address, carol, someMana())]);
  const feeMarket = await mine([pay(carol, alice, ETHER)]);
  const empty = await mine([]);
  const reverted = await mine([transfer(alice, mana.address, bob, 10n ** 30n)]);
  for (let block = 0; block < QUIET_BLOCKS; block += 1) await mine(someTransactions(1 + random.below(5), cast, random));
  const crowded = await mine(someTransactions(CROWD, cast, random));
  const address = getCreateAddress({ from: master, nonce: 0 }).toLowerCase();
  const tournament = await playHistory({
    rpc,
    address,
    people,
    // Choices of its own: the duels do not change the traffic around them.
    random: seeded(~seed),
    mine: (moves) => mine([...moves, ...someTransactions(1 + random.below(5), cast, random)]),
  });
  const last = await mine(someTransactions(3, cast, random));

  await rpc.call('evm_setTime', Math.floor(Date.now() / 1000));
  return {
    cast,
    contracts: tokens.map((token, index) => ({
      ...token,
      transactionHash: creations.transactionHashes[index]!,
      blockNumber: creations.number,
    })),
    tournament: { address, transactionHash: gifts.transactionHashes[0]!, blockNumber: gifts.number },
    landmarks: {
      crowdedBlock: crowded.number,
      emptyBlock: empty.number,
      revertedTransaction: reverted.transactionHashes[0]!,
      legacyTransaction: legacy.transactionHashes[0]!,
      accessListTransaction: accessList.transactionHashes[0]!,
      feeMarketTransaction: feeMarket.transactionHashes[0]!,
      contractCreation: creations.transactionHashes[0]!,
      tokenTransfer: gifts.transactionHashes[1]!,
      approval: approvals.transactionHashes[0]!,
      lastBlock: last.number,
      ...tournament,
    },
  };
}
