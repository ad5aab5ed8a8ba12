import { Interface, toQuantity } from 'ethers';
import solc from 'solc';
import { developmentAccounts } from '../../../devnet/src/world/accounts.ts';
import { startTestAnvil } from '../anvil.ts';
import { type CallNode, rpc } from '../graph/rpc.ts';

/** An event of the tournament to emit: its name and arguments in order. */
export type EventEmission = readonly [event: string, ...args: unknown[]];

/** Each event with its parameters, as in the tournament contract. */
const EVENT_PARAMETERS: Readonly<Record<string, string>> = {
  Transfer: 'address indexed from, address indexed to, uint256 indexed tokenId',
  WizardCreated: 'uint256 indexed wizardId, address indexed owner, uint8 affinity, uint256 power',
  WizardPowerChanged: 'uint256 indexed wizardId, uint256 power',
  WizardEliminated: 'uint256 indexed wizardId',
  DuelStart:
    'bytes32 indexed duelId, uint256 indexed wizardId1, uint256 indexed wizardId2, uint8 affinity1, uint8 affinity2, uint256 timeoutBlock, bool isAscensionBattle, bytes32 commit1, bytes32 commit2',
  DuelEnd:
    'bytes32 indexed duelId, uint256 indexed wizardId1, uint256 indexed wizardId2, bytes32 moveSet1, bytes32 moveSet2, uint256 startPower1, uint256 startPower2, uint256 endPower1, uint256 endPower2',
  DuelTimeOut:
    'bytes32 indexed duelId, uint256 indexed wizardId1, uint256 indexed wizardId2, uint256 startPower1, uint256 startPower2, uint256 endPower1, uint256 endPower2',
  /** An ERC-721 event, not one of the service. */
  Approval: 'address indexed owner, address indexed approved, uint256 indexed tokenId',
};

const events = new Interface(Object.entries(EVENT_PARAMETERS).map(([name, parameters]) => `event ${name}(${parameters})`));

/** Emits logs as given: a function per event would take seconds to compile. */
const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract Emitter {
  struct Log { bytes32[] topics; bytes data; }
  function emitLogs(Log[] calldata logs) external {
    for (uint256 i = 0; i < logs.length; i++) {
      bytes32[] memory topics = logs[i].topics;
      bytes memory data = logs[i].data;
      assembly {
        let start := add(data, 32)
        let size := mload(data)
        let topic := add(topics, 32)
        switch mload(topics)
        case 1 { log1(start, size, mload(topic)) }
        case 2 { log2(start, size, mload(topic), mload(add(topic, 32))) }
        case 3 { log3(start, size, mload(topic), mload(add(topic, 32)), mload(add(topic, 64))) }
        case 4 { log4(start, size, mload(topic), mload(add(topic, 32)), mload(add(topic, 64)), mload(add(topic, 96))) }
        default { revert(0, 0) }
      }
    }
  }
}`;

function compileEmitter() {
  const input = {
    language: 'Solidity',
    sources: { emitter: { content: SOURCE } },
    settings: { evmVersion: 'paris', outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } } },
  };
  const { errors = [], contracts } = JSON.parse(solc.compile(JSON.stringify(input)));
  if (errors.length > 0) throw new Error(errors[0].formattedMessage);
  const { abi, evm } = contracts.emitter.Emitter;
  return { abi: new Interface(abi), bytecode: `0x${evm.bytecode.object}` };
}

/** Starts a chain with a contract that emits any tournament event; a test mines its blocks. */
export async function startEmitterChain() {
  const { abi, bytecode } = compileEmitter();
  const anvil = await startTestAnvil();
  const from = developmentAccounts()[0]!.address;
  const ask: CallNode = (method, ...params) => rpc(anvil.url, method, params);
  const deploy = async (): Promise<string> => {
    const hash = await ask('eth_sendTransaction', { from, data: bytecode, gas: toQuantity(5_000_000) });
    await ask('evm_mine');
    return (await ask('eth_getTransactionReceipt', hash)).contractAddress;
  };
  /** The indexed contract. */
  const contract = await deploy();
  /** Has the same code, and is ignored. */
  const otherContract = await deploy();
  /** The block at the head. */
  const head = async (): Promise<{ readonly number: number; readonly hash: string }> => {
    const { number, hash } = await ask('eth_getBlockByNumber', 'latest', false);
    return { number: Number(number), hash };
  };
  /** A transaction that emits these events in order, for `eth_sendTransaction`. */
  const emitTransaction = (emissions: readonly EventEmission[], to = contract) => {
    const logs = emissions.map(([name, ...args]) => events.encodeEventLog(name, args));
    return { from, to, data: abi.encodeFunctionData('emitLogs', [logs]), gas: toQuantity(3_000_000) };
  };
  return {
    url: anvil.url,
    contract,
    otherContract,
    rpc: ask,
    emitTransaction,
    /** Mines a block with one transaction that emits these events; returns its number. */
    async mine(...emissions: readonly EventEmission[]): Promise<number> {
      if (emissions.length > 0) await ask('eth_sendTransaction', emitTransaction(emissions));
      await ask('evm_mine');
      return (await head()).number;
    },
    head,
  };
}

export type EmitterChain = Awaited<ReturnType<typeof startEmitterChain>>;
