import { GraphError } from '../../errors.ts';
import { isNullish } from '../../ethereum/block-results.ts';
import type { MessageCall } from '../../ethereum/call-object.ts';

/** Throws BAD_USER_INPUT for fees that contradict each other. Nodes report these with different errors, or not at all. */
export function checkCallFees({ gasPrice, maxFeePerGas, maxPriorityFeePerGas }: MessageCall): void {
  if (!isNullish(gasPrice) && !(isNullish(maxFeePerGas) && isNullish(maxPriorityFeePerGas))) {
    const message = 'The call has a gas price and EIP-1559 fees. Pass either gasPrice, or maxFeePerGas and maxPriorityFeePerGas.';
    throw new GraphError('BAD_USER_INPUT', message);
  }
  if (!isNullish(maxFeePerGas) && !isNullish(maxPriorityFeePerGas) && BigInt(maxPriorityFeePerGas) > BigInt(maxFeePerGas)) {
    const message = 'maxPriorityFeePerGas is above maxFeePerGas. Pass a priority fee of at most maxFeePerGas, which includes it.';
    throw new GraphError('BAD_USER_INPUT', message);
  }
}
