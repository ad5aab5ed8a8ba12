import { AbiCoder, Interface, keccak256, toBeHex, toQuantity } from 'ethers';
import { readArtifact } from './artifacts.ts';

/** What a transaction does; nonce and fees are for whoever sends it. 0x-hex, as the node takes it. */
export interface TransactionRequest {
  readonly from: string;
  /** Missing when the transaction creates a contract. */
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

/** Moves ether. */
export const etherTransfer = (from: string, to: string, wei: bigint): TransactionRequest => ({
  from,
  to,
  value: toQuantity(wei),
  gas: toQuantity(21_000),
});

/** Moves the sender's own tokens, in the token's smallest unit; reverts when there are too few. */
export const transfer = (from: string, token: string, to: string, amount: bigint) =>
  tokenCall(from, token, 'transfer', to, amount);

/** Lets the spender take up to the amount from the sender. */
export const approve = (from: string, token: string, spender: string, amount: bigint) =>
  tokenCall(from, token, 'approve', spender, amount);

/** The sender takes tokens the owner approved. */
export const transferFrom = (from: string, token: string, owner: string, to: string, amount: bigint) =>
  tokenCall(from, token, 'transferFrom', owner, to, amount);

/** A token transfer that announces the two balances it touches. */
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

// Half as much again as any of the three needs: an explicit limit lets a transaction that reverts be mined all the same.
const tokenCall = (from: string, token: string, name: string, ...args: (string | bigint)[]): TransactionRequest => ({
  from,
  to: token,
  data: erc20.encodeFunctionData(name, args),
  gas: toQuantity(100_000),
});

const balanceSlot = (owner: string) => keccak256(abi.encode(['address', 'uint256'], [owner, toBeHex(BALANCES_SLOT)]));
