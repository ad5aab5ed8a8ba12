import { Fragment, ParamType } from 'ethers/abi';
import type { AbiFragment } from './layouts.ts';

/** A parameter of an entry, unchecked. */
interface UncheckedParameter {
  readonly name?: unknown;
  readonly type?: unknown;
  readonly components?: unknown;
}

/** The fields of a function, an event or an error, unchecked. */
interface UncheckedEntry {
  readonly name?: unknown;
  readonly inputs?: unknown;
  readonly outputs?: unknown;
}

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
const ACCEPTED_TYPES = 'Write a type of the ABI, such as uint256, bytes32, address[] or tuple';

/** Why an entry is not valid, and what is accepted: the end of a sentence that starts with the entry. */
function entryProblem({ name, inputs, outputs }: UncheckedEntry): string {
  if (typeof name !== 'string' || !IDENTIFIER.test(name)) return 'its `name` is not an identifier';
  return (
    listProblem(inputs, 'inputs') ??
    listProblem(outputs, 'outputs') ??
    'its fields contradict each other. Write the entry as a compiler does'
  );
}

function listProblem(list: unknown, path: string): string | undefined {
  if (list === undefined || list === null) return undefined;
  if (!Array.isArray(list)) return `\`${path}\` is not a list of parameters`;
  for (const [i, parameter] of list.entries()) {
    const problem = parameterProblem(parameter, `${path}[${i}]`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Why a parameter is not valid; undefined if it is. */
function parameterProblem(parameter: unknown, path: string): string | undefined {
  if (isValid(parameter)) return undefined;
  if (typeof parameter !== 'object' || parameter === null) return `\`${path}\` is not an object with a \`type\``;
  const { name, type, components } = parameter as UncheckedParameter;
  const subject = typeof name === 'string' && IDENTIFIER.test(name) ? `\`${path}\` (${name})` : `\`${path}\``;
  if (typeof type !== 'string') return `${subject} has no type. ${ACCEPTED_TYPES}`;
  if (type.startsWith('tuple')) {
    const problem = listProblem(components ?? {}, `${path}.components`);
    if (problem !== undefined) return problem;
  }
  if (isValid({ type, components })) return `the name of \`${path}\` is not an identifier`;
  return `${subject} has the unknown type ${JSON.stringify(type)}. ${ACCEPTED_TYPES}`;
}

function isValid(parameter: unknown): boolean {
  try {
    // The types of the library describe valid parameters only.
    ParamType.from(parameter as Parameters<typeof ParamType.from>[0], true);
    return true;
  } catch {
    return false;
  }
}

/** A parsed ABI file. */
export interface ContractAbi {
  readonly fragments: readonly AbiFragment[];
  /** `contractName` of an artifact; null if it has none. */
  readonly contractName: string | null;
}

/** Why a file is not an ABI: the end of a sentence that starts with the file. */
export class InvalidAbi extends Error {}

const DECODED_TYPES: ReadonlySet<unknown> = new Set(['function', 'event', 'error']);
const OTHER_TYPES: ReadonlySet<unknown> = new Set(['constructor', 'fallback', 'receive']);

/** Parses an ABI in JSON: a list of entries, or an artifact of a compiler with the list `abi`. Throws InvalidAbi. */
export function parseAbi(json: unknown): ContractAbi {
  const { abi, contractName } = Array.isArray(json) ? { abi: json } : ((json ?? {}) as { abi?: unknown; contractName?: unknown });
  if (!Array.isArray(abi)) throw new InvalidAbi('is not an ABI: neither a list, nor an object with the list `abi`');
  return {
    fragments: abi.flatMap(parseEntry),
    contractName: typeof contractName === 'string' && contractName.trim() !== '' ? contractName.trim() : null,
  };
}

const VALUE_TYPE = /^(?:u?int\d*|address|bool|bytes\d*|string|tuple)(?:\[\d*\])*$/;

/** Whether a parameter has a type without an encoding that is decoded, such as a storage pointer of a library or a function. */
const hasOtherType = (parameter: unknown): boolean => {
  const { type, components } = (parameter ?? {}) as { type?: unknown; components?: unknown };
  return (typeof type === 'string' && !VALUE_TYPE.test(type)) || (Array.isArray(components) && components.some(hasOtherType));
};

/** The fragment of an entry; none for an entry that is not decoded. */
function parseEntry(entry: unknown, index: number): readonly AbiFragment[] {
  const location = `is invalid: entry [${index}]`;
  if (typeof entry !== 'object' || entry === null) throw new InvalidAbi(`${location} is not an object`);
  const { type = 'function', name, inputs } = entry as { type?: unknown; name?: unknown; inputs?: unknown };
  if (OTHER_TYPES.has(type) || (Array.isArray(inputs) && inputs.some(hasOtherType))) return [];
  if (!DECODED_TYPES.has(type)) throw new InvalidAbi(`${location} has no type of an ABI, such as function, event or error`);
  try {
    const fragment = Fragment.from({ ...entry, type }) as AbiFragment;
    // An anonymous event has no topic that identifies it.
    return 'anonymous' in fragment && fragment.anonymous ? [] : [fragment];
  } catch (cause) {
    const subject = typeof name === 'string' ? `${location}, ${name},` : location;
    throw new InvalidAbi(`${subject} is not a valid ${String(type)}: ${entryProblem(entry)}`, { cause });
  }
}
