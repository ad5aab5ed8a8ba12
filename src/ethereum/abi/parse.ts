import { Fragment } from 'ethers/abi';
import { isError } from 'ethers/utils';
import type { AbiFragment } from './layouts.ts';

/** A parsed ABI file. */
export type ContractAbi = ReturnType<typeof parseAbi>;

/** The reason why a file is not an ABI. The message is the end of a sentence that starts with the file. */
export class InvalidAbi extends Error {}

const DECODED_TYPES: ReadonlySet<unknown> = new Set(['function', 'event', 'error']);
const OTHER_TYPES: ReadonlySet<unknown> = new Set(['constructor', 'fallback', 'receive']);

/** Parses an ABI in JSON: a list of entries, or an artifact of a compiler with the list `abi`. Throws InvalidAbi. */
export function parseAbi(json: unknown) {
  const { abi, contractName } = Array.isArray(json) ? { abi: json } : ((json ?? {}) as { abi?: unknown; contractName?: unknown });
  if (!Array.isArray(abi)) throw new InvalidAbi('is not an ABI: neither a list, nor an object with the list `abi`');
  return {
    fragments: abi.flatMap(parseEntry) as readonly AbiFragment[],
    /** `contractName` of an artifact; null if it has none. */
    contractName: typeof contractName === 'string' && contractName.trim() !== '' ? contractName.trim() : null,
  };
}

const VALUE_TYPE = /^(?:u?int\d*|address|bool|bytes\d*|string|tuple)(?:\[\d*\])*$/;

/** Whether a parameter has a type that cannot be decoded, such as a storage pointer of a library or a function. */
const hasOtherType = (parameter: unknown): boolean => {
  const { type, components } = (parameter ?? {}) as { type?: unknown; components?: unknown };
  return (typeof type === 'string' && !VALUE_TYPE.test(type)) || (Array.isArray(components) && components.some(hasOtherType));
};

/** The fragment of an entry; empty for an entry that cannot be decoded. */
function parseEntry(entry: unknown, index: number): readonly AbiFragment[] {
  const location = `is invalid: entry [${index}]`;
  if (typeof entry !== 'object' || entry === null) throw new InvalidAbi(`${location} is not an object`);
  const { type = 'function', name, inputs, outputs } = entry as Readonly<Record<string, unknown>>;
  if (OTHER_TYPES.has(type) || [inputs, outputs].some((list) => Array.isArray(list) && list.some(hasOtherType))) return [];
  if (!DECODED_TYPES.has(type)) throw new InvalidAbi(`${location} has no type of an ABI, such as function, event or error`);
  try {
    const fragment = Fragment.from({ ...entry, type }) as AbiFragment;
    // An anonymous event has no topic that identifies it.
    return 'anonymous' in fragment && fragment.anonymous ? [] : [fragment];
  } catch (cause) {
    const subject = typeof name === 'string' ? `${location}, ${name},` : location;
    const problem = isError(cause, 'INVALID_ARGUMENT')
      ? `${cause.shortMessage}: ${JSON.stringify(cause.value)}`
      : 'it is malformed';
    throw new InvalidAbi(`${subject} is not a valid ${String(type)}: ${problem}. Write the entry as a compiler does`, { cause });
  }
}
