import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Interface, type LogDescription, type TransactionDescription } from 'ethers';
import { tournamentAbi } from '../../../devnet/src/tournament/contract-calls.ts';
import { readArtifact } from '../../../devnet/src/world/artifacts.ts';
import { type DevnetSetup, sharedDevnet, startSharedDevnetSetup } from '../../support/graph/devnet-setup.ts';

/** Calls and events of the embedded chain's history: each decoded value equals that of ethers. */
const ARGUMENTS = 'arguments { name type indexed value account { address } }';
const tokenAbi = new Interface(readArtifact('Token').abi);

let setup: DevnetSetup;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'abis-'));
  const { contracts, tournament } = sharedDevnet();
  const artifacts = [...contracts.map(({ address }) => [address, 'Token'] as const), [tournament.address, 'Tournament'] as const];
  for (const [address, name] of artifacts) writeFileSync(join(folder, `${address}.json`), JSON.stringify(readArtifact(name)));
  setup = await startSharedDevnetSetup({ ABI_DIR: folder });
});

afterAll(async () => {
  await setup?.stop();
  rmSync(folder, { recursive: true });
});

const textOf = (value: unknown): string => String(value).replace(/^0x.*/, (hex) => hex.toLowerCase());

/** The arguments as ethers decodes them. */
const argumentsOf = ({ fragment, args }: LogDescription | TransactionDescription) =>
  fragment.inputs.map(({ name, type, indexed }, i) => ({
    name,
    type,
    indexed: fragment.type === 'event' ? indexed === true : null,
    value: textOf(args[i]),
    account: type === 'address' ? { address: textOf(args[i]) } : null,
  }));

const abiAt = (address: string): Interface =>
  address === setup.devnet.description.tournament.address ? tournamentAbi : tokenAbi;

test('each event of the history is decoded as by ethers', async () => {
  const { tournament, landmarks } = setup.devnet.description;
  const { data, errors } = await setup.graph.execute(
    `{ logs(filter: { fromBlock: 0, toBlock: ${landmarks.lastBlock} }) { account { address } topics data decoded { name signature standard ${ARGUMENTS} } } }`,
  );
  expect(errors).toBeUndefined();
  const names = new Set<string>();
  for (const { account, topics, data: body, decoded } of data.logs) {
    const expected = abiAt(account.address).parseLog({ topics, data: body })!;
    const { name, signature } = expected;
    names.add(`${decoded.standard} ${name}`);
    expect(decoded).toEqual({ name, signature, standard: decoded.standard, arguments: argumentsOf(expected) });
    if (account.address !== tournament.address) expect(decoded.standard).toBe('ERC-20');
  }
  expect([...names]).toEqual(
    expect.arrayContaining([
      'ERC-20 Transfer',
      'ERC-20 Approval',
      'ERC-721 Transfer',
      'Tournament DuelStart',
      'Tournament DuelEnd',
    ]),
  );
});

test('each call of the history is decoded as by ethers, and a contract creation is null', async () => {
  const { landmarks } = setup.devnet.description;
  const { data, errors } = await setup.graph.execute(
    `{ blocks(from: 0, to: ${landmarks.lastBlock}) { transactions { inputData to { address } decoded { name signature selector ${ARGUMENTS} } } } }`,
  );
  expect(errors).toBeUndefined();
  const names = new Set<string>();
  for (const { inputData, to, decoded } of data.blocks.flatMap(({ transactions }: any) => transactions)) {
    const expected = to && inputData !== '0x' ? abiAt(to.address).parseTransaction({ data: inputData }) : null;
    if (!expected) {
      expect(decoded).toBeNull();
      continue;
    }
    const { name, signature, selector } = expected;
    names.add(name);
    expect(decoded).toEqual({ name, signature, selector, arguments: argumentsOf(expected) });
  }
  expect([...names]).toEqual(expect.arrayContaining(['transfer', 'approve', 'create', 'challenge', 'accept', 'reveal']));
});

test('label is the contract name of the file in ABI_DIR', async () => {
  const { tournament, accounts } = setup.devnet.description;
  const { data } = await setup.graph.execute(
    `{ contract: account(address: "${tournament.address}") { label } person: account(address: "${accounts[0]!.address}") { label } }`,
  );
  expect(data).toEqual({ contract: { label: 'Tournament' }, person: { label: null } });
});
