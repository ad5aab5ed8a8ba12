import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Devnet } from '../../../devnet/src/index.ts';
import { startTestDevnet } from '../../support/devnet.ts';
import { rpc } from '../../support/graph/devnet-setup.ts';
import { type DecodedEvent, eventsOf, readContract } from '../../support/tournament-contract.ts';

// Activity after the history: test/proofs/devnet/tournament-activity.long.test.ts.
const seed = Math.floor(Math.random() * 2 ** 31);

describe(`tournament history of seed ${seed}`, () => {
  let devnet: Devnet;
  let history: DecodedEvent[];
  const about = (duel: 'finishedDuel' | 'timedOutDuel' | 'runningDuel' | 'ascensionDuel') =>
    history.filter(({ args }) => args.duelId === devnet.description.landmarks[duel]);
  const events = (list: DecodedEvent[]) => list.map(({ event }) => event);

  beforeAll(async () => {
    devnet = await startTestDevnet({ seed });
    history = await eventsOf(devnet, 0, devnet.description.landmarks.lastBlock);
  });

  test('tournament history creates the contract at the described address and block', async () => {
    const { endpoints, tournament } = devnet.description;
    const { contractAddress, blockNumber, status } = await rpc(endpoints.http, 'eth_getTransactionReceipt', [
      tournament.transactionHash,
    ]);
    expect({ address: contractAddress, blockNumber: Number(blockNumber), status }).toEqual({
      address: '0xbded0d2bf404bdcba897a74e6657f1f12e5c6fb6',
      blockNumber: tournament.blockNumber,
      status: '0x1',
    });
    expect(tournament.address).toBe(contractAddress);
  });

  test('tournament history has a wizard of each development account, and a transferred one', async () => {
    const { accounts } = devnet.description;
    const created = history.filter(({ event }) => event === 'WizardCreated').map(({ args }) => [args.wizardId, args.owner]);
    expect(created).toEqual(accounts.slice(0, 10).map(({ address }, index) => [String(index + 1), address]));
    const moved = history.filter(({ event, args }) => event === 'Transfer' && BigInt(args.from!) !== 0n);
    expect(moved.map(({ args }) => args)).toEqual([{ from: accounts[7]!.address, to: accounts[8]!.address, tokenId: '8' }]);
  });

  test('tournament history has a finished duel and the wizard that it eliminated', async () => {
    const { eliminatedWizard } = devnet.description.landmarks;
    const [start, end] = about('finishedDuel');
    expect(events([start!, end!])).toEqual(['DuelStart', 'DuelEnd']);
    expect(start!.args.isAscensionBattle).toBe('false');
    expect(end!.args).toMatchObject({ wizardId2: eliminatedWizard, endPower2: '0' });
    expect(history).toContainEqual({ event: 'WizardEliminated', block: end!.block, args: { wizardId: eliminatedWizard } });
    expect((await readContract(devnet, 'wizard', eliminatedWizard)).power).toBe(0n);
  });

  test('events of the tournament history add up to the final wizards', async () => {
    const power = new Map<string, bigint>();
    const owner = new Map<string, string>();
    for (const { event, args } of history) {
      if (event === 'WizardCreated' || event === 'WizardPowerChanged') power.set(args.wizardId!, BigInt(args.power!));
      if (event === 'Transfer') owner.set(args.tokenId!, args.to!);
    }
    for (const id of power.keys()) {
      const wizard = await readContract(devnet, 'wizard', id);
      expect([id, wizard.power, wizard.owner.toLowerCase()]).toEqual([id, power.get(id), owner.get(id)]);
    }
    const [living] = await readContract(devnet, 'living');
    expect([...living].map(String).sort()).toEqual([...power.keys()].filter((id) => power.get(id)! > 0n).sort());
  });
});
