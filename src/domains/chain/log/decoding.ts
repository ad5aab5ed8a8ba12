import type { AbiRegistry, DecodedAbi } from '../../../ethereum/abi/registry.ts';
import type { Data } from '../../../ethereum/hex.ts';
import { decodeRevertReason } from '../../../ethereum/revert-error.ts';
import type { RpcLog } from '../../../ethereum/rpc-types.ts';
import type { Operation } from '../../../operation/operation.ts';
import type { PartialTransaction } from '../model.ts';

/** Characters above which an encoding counts by its length: 4 KiB, which take about 200 us. */
const LONG_ENCODING = 8_192;
/** Characters of a word of 32 bytes, which counts as one item. */
const WORD_CHARACTERS = 64;

/** Decodes calls and events of one operation. Sends no request. */
export function abiDecoder(abis: AbiRegistry, { budget, dependencies }: Operation) {
  /** Decodes at once, or in a later turn if the operation has used up its own: the list writer counts an item, not its length. */
  const inTurn = <T extends DecodedAbi | string>(
    encoding: Data | undefined,
    decode: () => T | null,
  ): T | null | Promise<T | null> => {
    // The files of ABI_DIR may change, so the response is not final.
    dependencies.addHead();
    const length = encoding?.length ?? 0;
    const isTurnUsedUp = length > LONG_ENCODING && budget?.shouldYieldAfter(Math.ceil(length / WORD_CHARACTERS));
    return isTurnUsedUp ? budget!.yieldTurn().then(decode) : decode();
  };

  return {
    /** Decodes the input of a transaction; null if no ABI fits. */
    decodedCall: ({ to, input }: PartialTransaction) => inTurn(input, () => abis.decodeCall(to, input!)),

    /**
     * Describes the payload of a reverted call: the text of Error(string), a Panic(uint256) with its meaning, or a custom error of the target's ABI,
     * such as `InsufficientBalance(available: 1, required: 2)`. Null if no ABI fits.
     */
    revertReason: (payload: Data, target: Data | null | undefined): string | null | Promise<string | null> =>
      decodeRevertReason(payload) ?? inTurn(payload, () => abis.describeError(target, payload)),

    /** Decodes a log; null if no ABI fits. */
    decodedEvent: (log: RpcLog) => inTurn(log.data, () => abis.decodeEvent(log)),
  };
}
