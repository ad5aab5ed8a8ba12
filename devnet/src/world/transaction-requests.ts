import { AbiCoder, Interface, keccak256, toBeHex, toQuantity } from 'ethers';
import { readArtifact } from './artifacts.ts';

/** Parameters of `eth_sendTransaction` without nonce and fees, in 0x-hex. */
export interface TransactionRequest {
  readonly from: string;
  /** Absent for a contract creation. */
  readonly to?: string;
  /** Wei. */
  readonly value?: string;
  readonly data?: string;
  readonly gas: string;
  readonly accessList?: readonly { readonly address: string; readonly storageKeys: readonly string[] }[];
}

const erc20 = new Interface(readArtifact('Token').abi);
const abi = AbiCoder.defaultAbiCoder();
/** `balanceOf` is the second state variable of `Ledger` in contracts/tokens.sol. */
const BALANCES_SLOT = 1;

/** An ether transfer, in wei. */
export const etherTransfer = (from: string, to: string, wei: bigint): TransactionRequest => ({
  from,
  to,
  value: toQuantity(wei),
  gas: toQuantity(21_000),
});

/** A transfer of the sender's tokens, in the smallest unit; reverts above the balance. */
export const transfer = (from: string, token: string, to: string, amount: bigint) =>
  tokenCall(from, token, 'transfer', to, amount);

/** An approval for the spender, in the smallest unit. */
export const approve = (from: string, token: string, spender: string, amount: bigint) =>
  tokenCall(from, token, 'approve', spender, amount);

/** A transfer by the sender of tokens that the owner approved. */
export const transferFrom = (from: string, token: string, owner: string, to: string, amount: bigint) =>
  tokenCall(from, token, 'transferFrom', owner, to, amount);

/** A token transfer whose access list has the two balances. */
export const accessListTransfer = (from: string, token: string, to: string, amount: bigint): TransactionRequest => ({
  ...transfer(from, token, to, amount),
  accessList: [{ address: token, storageKeys: [balanceSlot(from), balanceSlot(to)] }],
});

/** Creates a contract from its committed artifact. */
export function contractCreation(from: string, contractName: string, ...args: readonly unknown[]): TransactionRequest {
  const contract = readArtifact(contractName);
  const encoded = new Interface(contract.abi).encodeDeploy(args);
  return { from, data: contract.bytecode + encoded.slice(2), gas: toQuantity(1_500_000) };
}

// 1.5 times the gas of the most expensive call. With an explicit limit, a transaction that reverts is still mined.
const tokenCall = (from: string, token: string, name: string, ...args: (string | bigint)[]): TransactionRequest => ({
  from,
  to: token,
  data: erc20.encodeFunctionData(name, args),
  gas: toQuantity(100_000),
});

const balanceSlot = (owner: string) => keccak256(abi.encode(['address', 'uint256'], [owner, toBeHex(BALANCES_SLOT)]));
