/** Middle of the range, in wei per gas: below the fees of all generated transactions and of common wallets. */
const MIDDLE_WEI = 40_000_000;
/** Part of the base fee by which a block may differ from its parent (EIP-1559). */
const MAX_CHANGE = 1 / 8;

/** Two waves of different length, so that the curve does not repeat in view: between about -0.5 and 0.5. */
const waves = (height: number): number =>
  0.4 * Math.sin((2 * Math.PI * height) / 41) + 0.1 * Math.sin((2 * Math.PI * height) / 13);

/**
 * The base fee of the block at a height, in wei per gas. The generated transactions use a hundredth of the gas limit, so that the base fee of
 * EIP-1559 would fall to a few wei within minutes and stay there. The base fee follows waves between 24 and 66 million wei instead, with
 * steps as small as EIP-1559 allows.
 */
export function baseFeeAt(height: number, parentWei: number): number {
  const target = MIDDLE_WEI * Math.exp(waves(height));
  const lowest = Math.ceil(parentWei * (1 - MAX_CHANGE));
  const highest = Math.floor(parentWei * (1 + MAX_CHANGE));
  return Math.min(Math.max(Math.round(target), lowest), Math.max(highest, parentWei + 1));
}
