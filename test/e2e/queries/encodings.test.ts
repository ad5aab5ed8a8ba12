import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { keccak256 } from 'ethers/crypto';
import { type DevnetSetup, startSharedDevnetSetup } from '../../support/graph/devnet-setup.ts';
import { hex } from '../../support/graph/expected-values.ts';

/** The encodings and proofs of the embedded chain equal those of its node. */
let setup: DevnetSetup;

beforeAll(async () => {
  setup = await startSharedDevnetSetup();
});

afterAll(() => setup?.stop());

test('each header, transaction and receipt of the history has the encoding that its hash or root commits to', async () => {
  const { lastBlock } = setup.devnet.description.landmarks;
  const { data, errors } = await setup.graph.execute(
    `{ blocks(from: 0, to: ${lastBlock}) { hash rawHeader raw transactions { hash raw rawReceipt chainID } } }`,
  );
  expect(errors).toBeUndefined();
  expect(data.blocks).toHaveLength(lastBlock + 1);
  const transactions = data.blocks.flatMap((block: any) => block.transactions);
  expect(transactions.length).toBeGreaterThan(250);
  for (const { hash, rawHeader, raw, transactions: own } of data.blocks) {
    expect(keccak256(rawHeader)).toBe(hash);
    expect(raw).toContain(rawHeader.slice(2));
    for (const transaction of own) {
      expect(keccak256(transaction.raw)).toBe(transaction.hash);
      expect(raw).toContain(transaction.raw.slice(2));
    }
  }
  const { landmarks } = setup.devnet.description;
  for (const hash of [landmarks.accessListTransaction, landmarks.revertedTransaction, landmarks.contractCreation]) {
    const { raw, rawReceipt, chainID } = transactions.find((one: any) => one.hash === hash);
    expect(raw).toBe(await setup.rpc('debug_getRawTransaction', hash));
    expect(rawReceipt).toMatch(/^0x(?:0[1-4]f|[cf])/);
    expect(chainID).toBe(await setup.rpc('eth_chainId'));
  }
});

test('the proof of a contract and the elements of its mappings equal those of the node, at any block', async () => {
  const { contracts, accounts, landmarks } = setup.devnet.description;
  const token = contracts[0]!.address;
  const [owner, spender] = accounts.map(({ address }) => address) as [string, string];
  const key = `0x${'0'.repeat(64)}`;
  for (const number of [landmarks.lastBlock, landmarks.crowdedBlock]) {
    const { data, errors } = await setup.graph.execute(
      `query ($number: Long!, $token: Address!, $owner: Bytes!, $spender: Bytes!, $key: Bytes32!) {
        block(number: $number) { account(address: $token) {
          storage(slot: $key) isContract balance balanceIn(unit: WEI)
          ofOwner: mappingStorage(slot: 1, keys: [$owner]) allowance: mappingStorage(slot: 2, keys: [$owner, $spender])
          proof(storageKeys: [$key]) { address balance codeHash nonce storageHash accountProof storageProof { key value proof } }
        } }
      }`,
      { number, token, owner, spender, key },
    );
    expect(errors).toBeUndefined();
    const { account } = data.block;
    const { address, balance, codeHash, nonce, storageHash, accountProof, storageProof } = await setup.rpc(
      'eth_getProof',
      token,
      [key],
      hex(number),
    );
    const [{ proof }] = storageProof;
    expect(account.proof).toEqual({
      ...{ address, balance, codeHash, nonce, storageHash, accountProof },
      storageProof: [{ key: '0x0', value: hexOf(account.storage), proof }],
    });
    expect(account).toMatchObject({ isContract: true, balanceIn: BigInt(account.balance).toString() });
    // The first variables of the token are its supply, its balances and its allowances.
    const call = (data: string) => setup.rpc('eth_call', { to: token, data }, hex(number));
    expect(account.ofOwner).toBe(await call(`0x70a08231${word(owner)}`));
    expect(account.allowance).toBe(await call(`0xdd62ed3e${word(owner)}${word(spender)}`));
    expect(BigInt(account.ofOwner)).toBeGreaterThan(0n);
  }
});

const word = (address: string): string => address.slice(2).padStart(64, '0');
const hexOf = (value: string): string => `0x${BigInt(value).toString(16)}`;
