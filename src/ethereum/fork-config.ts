import { isNullish } from './block-results.ts';
import { asObject, data, invalidShape, nullable, quantity } from './decoders.ts';
import { type Data, toData } from './hex.ts';

/** Reads a result of `eth_config` (EIP-7910). Throws UPSTREAM_BAD_RESPONSE. */
export function readForkConfigs(value: unknown) {
  const { current, next, last } = asObject(value, 'the rules of the chain');
  const readPlanned = nullable(readForkConfig);
  return { current: readForkConfig(current), next: readPlanned(next), last: readPlanned(last) };
}

function readForkConfig(value: unknown) {
  const { activationTime, blobSchedule, chainId, forkId, precompiles, systemContracts } = asObject(value, 'the rules of a fork');
  return {
    activationTime: quantity(activationTime),
    blobSchedule: nullable(readBlobSchedule)(blobSchedule),
    chainID: quantity(chainId),
    forkId: data(forkId),
    precompiles: readContracts(precompiles),
    systemContracts: readContracts(systemContracts),
  };
}

function readBlobSchedule(value: unknown) {
  const { target, max, baseFeeUpdateFraction } = asObject(value, 'the limits on blobs');
  return { target: blobCount(target), max: blobCount(max), baseFeeUpdateFraction: quantity(baseFeeUpdateFraction) };
}

function blobCount(value: unknown): number {
  if (!Number.isInteger(value)) throw invalidShape('a number of blobs');
  return value as number;
}

/** Reads contracts by name. Rejects a name that is no identifier, because it can contain the key of the endpoint. */
function readContracts(value: unknown): readonly { readonly name: string; readonly address: Data }[] {
  if (isNullish(value)) return [];
  return Object.entries(asObject(value, 'contracts by name')).map(([name, text]) => {
    const address = toData(text, 20);
    if (address === undefined || !/^\w{1,64}$/.test(name)) throw invalidShape('contracts by name');
    return { name, address };
  });
}
