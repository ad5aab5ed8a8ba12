import { keccak256, toBeHex, zeroPadValue } from 'ethers';
import type { SeedFacts } from './facts.ts';
import { pluck, quantityOfWord, type SeedRow } from './rows.ts';
import { inEther } from './transaction-rows.ts';

const BLOCK = 'block(number: $number)';
const OWNER = [BLOCK, 'account(address: $owner)'];
const CONTRACT = [BLOCK, 'account(address: $token)'];
const PROOF = [...CONTRACT, 'proof(storageKeys: $slots)'];

const read = ({ call, block, variables }: SeedFacts, method: string, name: string, ...params: unknown[]) =>
  call(method, variables[name], ...params, block.number);

const proofOf = (facts: SeedFacts) => read(facts, 'eth_getProof', 'token', facts.variables.slots);

/** The seed's rule: the hash of the padded key and the padded slot of the mapping. */
const mappingSlot = ({ variables }: SeedFacts): string => {
  const [key] = variables.mappingKeys as string[];
  return keccak256(zeroPadValue(key!, 32) + toBeHex(variables.mappingSlot as number, 32).slice(2));
};

const asynchronousRows = (
  type: string,
  path: readonly string[],
  of: (facts: SeedFacts) => Promise<any>,
  names: readonly string[],
) => names.map((name): SeedRow => [`${type}.${name}`, [...path, name], async (facts) => (await of(facts))[name]]);

/** A call whose only field beside `to`, or the only one that matters, is this field. */
const callRow = (field: string, variable: string): SeedRow => [
  `CallData.${field}`,
  ['block', `call(data: $${variable})`, 'data'],
  ({ call, variables }) => call('eth_call', variables[variable], 'latest'),
];

/** State of accounts, proofs and calls. */
export const accountRows: readonly SeedRow[] = [
  ['Account.balance', [...OWNER, 'balance'], (facts) => read(facts, 'eth_getBalance', 'owner')],
  [
    'Account.balanceIn',
    [...OWNER, 'balanceIn(unit: ETHER)'],
    async (facts) => inEther(await read(facts, 'eth_getBalance', 'owner')),
  ],
  ['Account.transactionCount', [...OWNER, 'transactionCount'], (facts) => read(facts, 'eth_getTransactionCount', 'owner')],
  ['Account.code', [...CONTRACT, 'code'], (facts) => read(facts, 'eth_getCode', 'token')],
  [
    'Account.storage',
    [...CONTRACT, 'storage(slot: $slot)'],
    (facts) => read(facts, 'eth_getStorageAt', 'token', facts.variables.slot),
  ],
  [
    'Account.mappingStorage',
    [...CONTRACT, 'mappingStorage(slot: $mappingSlot, keys: $mappingKeys)'],
    (facts) => read(facts, 'eth_getStorageAt', 'token', mappingSlot(facts)),
  ],
  ['Account.proof', [...PROOF, 'address'], async (facts) => (await proofOf(facts)).address],
  ...asynchronousRows('AccountProof', PROOF, proofOf, ['balance', 'codeHash', 'nonce', 'storageHash', 'accountProof']),
  [
    'StorageProof.key',
    [...PROOF, 'storageProof', 'key'],
    async (facts) => pluck('key', (await proofOf(facts)).storageProof).map((key) => quantityOfWord(key as string)),
  ],
  [
    'StorageProof.value',
    [...PROOF, 'storageProof', 'value'],
    async (facts) => pluck('value', (await proofOf(facts)).storageProof),
  ],
  [
    'StorageProof.proof',
    [...PROOF, 'storageProof', 'proof'],
    async (facts) => pluck('proof', (await proofOf(facts)).storageProof),
  ],
  [
    'CallResult.data',
    [BLOCK, 'call(data: $transferCall)', 'data'],
    ({ call, block, variables }) => call('eth_call', variables.transferCall, block.number),
  ],
  callRow('to', 'callTo'),
  callRow('from', 'callFrom'),
  callRow('gas', 'callGas'),
  callRow('gasPrice', 'callGasPrice'),
  callRow('value', 'callValue'),
  callRow('data', 'callData'),
];
