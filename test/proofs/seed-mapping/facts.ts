import { Wallet } from 'ethers';
import { transfer } from '../../../devnet/src/world/transaction-requests.ts';
import { type DevnetSetup, rpc } from '../../support/graph/devnet-setup.ts';
import { hex } from '../../support/graph/expected-values.ts';

/** JSON-RPC results of the node about one block and its contents, and the values of the variables of the rows. */
export interface SeedFacts {
  /** Calls the chain itself. */
  call<T = any>(method: string, ...params: unknown[]): Promise<T>;
  /** Calls the node service, which has the enhanced methods. */
  service<T = any>(method: string, ...params: unknown[]): Promise<T>;
  /** A block with contract creations, token transfers and logs, with transaction hashes, and with whole transactions. */
  readonly block: any;
  readonly fullBlock: any;
  /** A token transfer in that block, and its receipt with one log. */
  readonly transaction: any;
  readonly receipt: any;
  /** The receipt of a contract creation. */
  readonly creation: any;
  /** The logs of the block. */
  readonly logs: readonly any[];
  /** The block that was mined since the server started, which has a log of each of two tokens. */
  readonly newBlock: any;
  readonly newLogs: readonly any[];
  /** A transaction in the pool. */
  readonly pending: any;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Contract that returns its caller, the value, the gas price, the remaining gas and the first word of the data. */
const MIRROR = `0x${'3'.repeat(40)}`;
const MIRROR_CODE = '0x33600052346020523a6040525a60605260003560805260a06000f3';

/** The first state variables of `Ledger` in devnet/contracts/tokens.sol. */
const TOTAL_SUPPLY_SLOT = `0x${'0'.repeat(64)}`;
const BALANCES_SLOT = 1;
/** The first state variable of `Token`, behind the state variables of `Ledger`. */
const NAME_SLOT = `0x${'0'.repeat(63)}3`;

/** Mines a block, and leaves a transaction in the pool, after the graph has started. */
export async function createSeedFacts(setup: DevnetSetup): Promise<SeedFacts> {
  const { landmarks, nodeService, accounts, contracts } = setup.devnet.description;
  const call: SeedFacts['call'] = setup.rpc;
  const [alice, bob, carol] = accounts.map(({ address }) => address) as [string, string, string];
  const [mana, crown] = contracts.map(({ address }) => address) as [string, string];
  const guest = new Wallet(accounts.at(-1)!.privateKey);
  const signed = (nonce: number) =>
    guest.signTransaction({
      chainId: 31337,
      nonce,
      to: alice,
      value: 1n,
      gasLimit: 21_000n,
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 10n ** 9n,
    });

  await call('evm_setAutomine', false);
  await call('anvil_setCode', MIRROR, MIRROR_CODE);
  const before = await call('eth_getBlockByNumber', 'latest', false);
  const previous = await setup.graph.execute('{ logs(filter: { fromBlock: 0 }) { cursor } }');
  await call('eth_sendTransaction', transfer(alice, mana, bob, 5n));
  await call('eth_sendTransaction', transfer(bob, crown, carol, 6n));
  await call('evm_mine');
  const newBlock = await call('eth_getBlockByNumber', 'latest', false);
  const pendingHash = await call('eth_sendTransaction', transfer(alice, mana, carol, 7n));

  const transaction = await call('eth_getTransactionByHash', landmarks.tokenTransfer);
  const block = await call('eth_getBlockByHash', transaction.blockHash, false);
  const receipt = await call('eth_getTransactionReceipt', transaction.hash);
  const [log] = receipt.logs;
  const callOf = (fields: Record<string, unknown>) => ({ to: MIRROR, ...fields });
  const range = { fromBlock: '0x0', toBlock: hex(landmarks.lastBlock) };
  return {
    call,
    service: (method, ...params) => rpc(nodeService.http, method, params),
    block,
    fullBlock: await call('eth_getBlockByHash', block.hash, true),
    transaction,
    receipt,
    creation: await call('eth_getTransactionReceipt', landmarks.contractCreation),
    logs: await call('eth_getLogs', { blockHash: block.hash }),
    newBlock,
    newLogs: await call('eth_getLogs', { blockHash: newBlock.hash }),
    pending: await call('eth_getTransactionByHash', pendingHash),
    variables: {
      number: block.number,
      blockHash: block.hash,
      index: transaction.transactionIndex,
      transaction: transaction.hash,
      creation: landmarks.contractCreation,
      pending: pendingHash,
      owner: alice,
      spender: bob,
      token: mana,
      tokens: [mana, crown],
      slot: TOTAL_SUPPLY_SLOT,
      slots: [TOTAL_SUPPLY_SLOT, NAME_SLOT],
      mappingSlot: BALANCES_SLOT,
      mappingKeys: [alice],
      transferCall: { from: alice, to: mana, data: transfer(alice, mana, bob, 1n).data },
      callTo: callOf({}),
      callFrom: callOf({ from: alice }),
      callGas: callOf({ gas: '0x186a0' }),
      callGasPrice: callOf({ from: alice, gas: '0x186a0', gasPrice: '0x2540be400' }),
      callValue: callOf({ from: alice, value: '0x5' }),
      callData: callOf({ data: `0x${'ab'.repeat(32)}` }),
      noFilter: {},
      fromBlock: { fromBlock: block.number },
      toBlock: { fromBlock: '0x0', toBlock: block.number },
      addresses: { ...range, addresses: [crown] },
      topics: { ...range, topics: [[], [log.topics[1]]] },
      ofBlock: { blockHash: block.hash },
      fromTag: { fromBlockTag: 'EARLIEST', toBlock: block.number },
      toTag: { fromBlock: block.number, toBlockTag: 'LATEST' },
      toPending: { fromBlock: block.number, toPending: true },
      afterHead: before.hash,
      afterLog: previous.data.logs.at(-1)!.cursor,
      ofToken: { addresses: [crown] },
      ofSender: { topics: [[], [`0x${bob.slice(2).padStart(64, '0')}`]] },
      raw: await signed(0),
      submission: { data: await signed(1) },
    },
  };
}
