import { beforeAll, expect, test } from '@jest/globals';
import { keccak256 } from 'ethers/crypto';
import { developmentAccounts } from '../../../devnet/src/world/accounts.ts';
import {
  accountProofContradiction,
  codeContradiction,
  type RpcAccountProof,
  readAccountProof,
} from '../../../src/ethereum/account-proof.ts';
import { EMPTY_TRIE_ROOT } from '../../../src/ethereum/encoding/list-root.ts';
import { startTestAnvil } from '../../support/anvil.ts';
import { alteredProofs } from '../../support/ethereum/altered-proofs.ts';
import { rpc } from '../../support/graph/rpc.ts';
import { addressOf, hashOf } from '../../support/upstream/rpc-fixtures.ts';

const CODE = '0x602a00';
const ZERO = hashOf(0);
/** The values of the slots 0 to 3. */
const VALUES = ['0x2a', '0xff01', '0x100000', `0x${'f'.repeat(64)}`];
/** Stores the values, and returns the code of the contract. */
const CREATION = `0x${VALUES.map((value, i) => `7f${value.slice(2).padStart(64, '0')}600${i}55`).join('')}62${CODE.slice(2)}5f526003601df3`;

/** Two slots whose hashes have the same first ten digits: their leaves are shorter than a hash, so that the branch above contains them. */
const NEIGHBOURS = [247_476, 515_151].map(hashOf);

/** Proofs of an account, of a contract with its slots and an absent slot, and of an absent account. */
let proofs: [account: RpcAccountProof, contract: RpcAccountProof, absent: RpcAccountProof];
let stateRoot: string;
let earlierRoot: string;
/** Proof of the slots NEIGHBOURS of another contract, and of an absent slot. */
let neighbours: { readonly proof: RpcAccountProof; readonly root: string };

beforeAll(async () => {
  const { url } = await startTestAnvil();
  const mine = async (): Promise<string> => {
    await rpc(url, 'evm_mine', []);
    return (await rpc(url, 'eth_getBlockByNumber', ['latest', false])).stateRoot!;
  };
  const from = developmentAccounts()[0]!.address;
  earlierRoot = await mine();
  const hash = await rpc(url, 'eth_sendTransaction', [{ from, data: CREATION, gas: '0x4c4b40' }]);
  stateRoot = await mine();
  const contract = (await rpc(url, 'eth_getTransactionReceipt', [hash])).contractAddress!;
  const prove = async (address: string, slots: string[]) =>
    readAccountProof(await rpc(url, 'eth_getProof', [address, slots, 'latest']), address, slots);
  proofs = [await prove(from, [ZERO]), await prove(contract, [0, 1, 2, 3, 9].map(hashOf)), await prove(addressOf(0xabc), [ZERO])];
  expect(await rpc(url, 'eth_getCode', [contract, 'latest'])).toBe(CODE);
  const other = addressOf(0xeb);
  await rpc(url, 'anvil_setCode', [other, CODE]);
  for (const slot of NEIGHBOURS) await rpc(url, 'anvil_setStorageAt', [other, slot, hashOf(1)]);
  const root = await mine();
  neighbours = { proof: await prove(other, [...NEIGHBOURS, ZERO]), root };
});

const contradiction = (proof: RpcAccountProof, root = stateRoot) => accountProofContradiction(proof, root, '0x2')?.text;

test('proofs of anvil of an account, a contract with its slots, and an absent account have the stateRoot of the block', () => {
  for (const root of [stateRoot, stateRoot.toUpperCase().replace('X', 'x')])
    expect(proofs.map((proof) => contradiction(proof, root))).toEqual([undefined, undefined, undefined]);
  expect(proofs.map(({ nonce }) => nonce)).toEqual(['0x1', '0x1', '0x0']);
  expect(proofs[1].storageProof.map(({ value }) => value)).toEqual([...VALUES, '0x0']);
  // Nodes also return zero words as the hashes of an absent account, and no node, or null, for an empty storage.
  const storageProof = [{ ...proofs[2].storageProof[0]!, proof: null }];
  const absent = readAccountProof({ ...proofs[2], codeHash: ZERO, storageHash: ZERO, storageProof }, proofs[2].address, [ZERO]);
  expect(contradiction(absent)).toBeUndefined();
});

test('a proof may list nodes that their parents contain, as anvil does, or leave them out, as geth does', () => {
  const { proof, root } = neighbours;
  const [first, second] = proof.storageProof.map((entry) => entry.proof) as [string[], string[]];
  expect([first, second].map((nodes) => nodes.at(-1)!.length < 66)).toEqual([true, true]);
  const changed = (entry: object) =>
    contradiction({ ...proof, storageProof: proof.storageProof.with(0, { ...proof.storageProof[0]!, ...entry }) }, root);
  for (const entry of [{}, { proof: first.slice(0, -1) }]) expect(changed(entry)).toBeUndefined();
  for (const entry of [{ value: '0x2' }, { value: '0x0' }, { proof: second }]) expect(changed(entry)).toBeDefined();
  const others = [...alteredProofs(first)].filter((nodes) => `${nodes}` !== `${first}` && `${nodes}` !== `${first.slice(0, -1)}`);
  expect(others.length).toBeGreaterThan(100);
  for (const nodes of others) expect(changed({ proof: nodes })).toBeDefined();
});

test('a proof with any change of its nodes is refused', () => {
  for (const proof of proofs) {
    const texts = [...alteredProofs(proof.accountProof)].map((accountProof) => contradiction({ ...proof, accountProof }));
    expect(texts.length).toBeGreaterThan(500);
    expect(new Set(texts)).toEqual(new Set([`the proof of account ${proof.address} at block 2 does not have its stateRoot`]));
  }
  const { address, storageProof } = proofs[1];
  for (const [i, entry] of storageProof.entries()) {
    const altered = [...alteredProofs(entry.proof)].map((proof) => storageProof.with(i, { ...entry, proof }));
    expect(new Set(altered.map((changed) => contradiction({ ...proofs[1], storageProof: changed })))).toEqual(
      new Set([`the proof of slot ${entry.key} of account ${address} at block 2 does not have its storageHash`]),
    );
  }
});

test('a proof with another value, another address or another root is refused', () => {
  for (const proof of proofs) {
    const changes: Partial<RpcAccountProof>[] = [
      { nonce: 'no number', accountProof: [] },
      { storageProof: [{ key: '0x0', value: 'no number', proof: ['0x'] }] },
      { balance: `0x${(BigInt(proof.balance) + 1n).toString(16)}` },
      { nonce: `0x${(BigInt(proof.nonce) + 1n).toString(16)}` },
      ...[hashOf(5), keccak256('0x00')].flatMap((hash) => [{ codeHash: hash }, { storageHash: hash }]),
      ...[addressOf(5), ...proofs.map(({ address }) => address)]
        .filter((other) => other !== proof.address)
        .map((address) => ({ address })),
      ...proof.storageProof.flatMap((entry, i) =>
        [{ value: '0x2b' }, { value: entry.value === '0x0' ? '0x1' : '0x0' }, { key: '0x7', value: '0x2a' }].map((change) => ({
          storageProof: proof.storageProof.with(i, { ...entry, ...change }),
        })),
      ),
    ];
    expect(changes.filter((change) => contradiction({ ...proof, ...change }) === undefined)).toEqual([]);
    const roots = [earlierRoot, EMPTY_TRIE_ROOT, proofs[1].storageHash, ZERO, '0x', 'zz'];
    expect(roots.filter((root) => contradiction(proof, root) === undefined)).toEqual([]);
  }
});

test('an existing account or slot that is claimed to be absent is refused', () => {
  const absent = { nonce: '0x0', balance: '0x0', codeHash: ZERO, storageHash: EMPTY_TRIE_ROOT, storageProof: [] };
  for (const accountProof of [[], ['0x80'], ...proofs.map((proof) => proof.accountProof)])
    for (const proof of proofs.slice(0, 2)) expect(contradiction({ ...proof, ...absent, accountProof })).toBeDefined();
  const { storageProof } = proofs[1];
  for (const proof of [[], ['0x80'], ...storageProof.map((entry) => entry.proof)])
    for (const entry of storageProof.slice(0, VALUES.length))
      expect(contradiction({ ...proofs[1], storageProof: [{ ...entry, value: '0x0', proof }] })).toBeDefined();
});

test('the code must have the hash, which for an account without code is the hash of no bytes, or zero', () => {
  const { codeHash } = proofs[1];
  expect(['0x', '0x00', CODE].map((code) => codeContradiction(code, codeHash) === undefined)).toEqual([false, false, true]);
  for (const hash of [ZERO, keccak256('0x')])
    expect(['0x', '0x00', CODE].map((code) => codeContradiction(code, hash) === undefined)).toEqual([true, false, false]);
  expect(codeContradiction('0x', codeHash)?.text).toBe(`the code of an account does not have its codeHash ${codeHash}`);
});
