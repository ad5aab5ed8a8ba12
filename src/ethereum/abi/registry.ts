import { data as decodeData } from '../decoders.ts';
import type { Data } from '../hex.ts';
import type { RpcLog } from '../rpc-types.ts';
import { isEtherTransferLog } from '../tokens.ts';
import type { AbiFunction, AbiLayout, AbiLayouts, AbiParameter } from './layouts.ts';
import { compileFunctions, indexLayouts } from './layouts.ts';
import type { ContractAbi } from './parse.ts';
import { type AbiValue, readArguments } from './reader.ts';
import { ambiguousFunction, type NamedFunction, unknownFunction } from './signature.ts';
import { standardEntries, standardReads } from './standards.ts';

/** Characters of a topic: 32 bytes. */
const TOPIC_CHARACTERS = 66;

/** An argument of a decoded call or event. `address` is the value of an address argument, null for other types. */
export type AbiArgument = ReturnType<typeof toArgument>;

/** A decoded call, event or error. */
export interface DecodedAbi {
  readonly name: string;
  readonly signature: string;
  readonly selector: Data;
  /** The only standard that defines the call, event or error; null if no standard or several standards define it. */
  readonly standard: string | null;
  readonly arguments: readonly AbiArgument[];
}

/** Encoded arguments: topics without the first one, and the hex digits of the others. */
interface EncodedArguments {
  readonly topics: readonly Data[];
  readonly digits: string;
}

/** A layout with the values of its parameters. */
interface LayoutValues {
  readonly layout: AbiLayout;
  readonly values: readonly AbiValue[];
}

/**
 * Decodes arguments by the first level, in order of precedence, that has a fitting layout. Undefined if no layout fits,
 * or if several layouts of that level fit, because the layout of the contract is then unknown.
 */
function decodeByLevels(levels: readonly (readonly AbiLayout[])[], encoded: EncodedArguments): LayoutValues | undefined {
  for (const layouts of levels) {
    let found: LayoutValues | undefined;
    for (const layout of layouts) {
      const values = decodeLayout(layout, encoded);
      if (values && found) return undefined;
      if (values) found = { layout, values };
    }
    if (found) return found;
  }
  return undefined;
}

function decodeLayout({ parameters, body }: AbiLayout, { topics, digits }: EncodedArguments): readonly AbiValue[] | undefined {
  if (topics.length !== parameters.length - body.length) return undefined;
  const values = readArguments(body, digits);
  if (!values || topics.length === 0) return values;
  const all: AbiValue[] = [];
  let topicCount = 0;
  for (const parameter of parameters) {
    const value = parameter.indexed ? topicValue(parameter, topics[topicCount++]!) : values[all.length - topicCount];
    if (value === undefined) return undefined;
    all.push(value);
  }
  return all;
}

const topicValue = ({ isHashed, reader }: AbiParameter, topic: Data): AbiValue | undefined =>
  isHashed && topic.length === TOPIC_CHARACTERS ? topic : readArguments([reader], topic.slice(2))?.[0];

function toArgument({ name, type, indexed }: AbiParameter, decoded: AbiValue) {
  const value = typeof decoded === 'string' ? decoded : JSON.stringify(decoded);
  return { name, type, indexed, value, address: type === 'address' ? value : null };
}

/** A call as text: `InsufficientBalance(available: 1, required: 2)`. Strings are quoted, so that they cannot imitate arguments. */
function describeValues({ layout: { name, parameters }, values }: LayoutValues): string {
  const texts = parameters.map((parameter, i) => {
    const value = values[i]!;
    const text = typeof value === 'string' && parameter.type !== 'string' ? value : JSON.stringify(value);
    return parameter.name === null ? text : `${parameter.name}: ${text}`;
  });
  return `${name}(${texts.join(', ')})`;
}

/** An ABI that the operator has configured, for one contract or for all contracts. */
export interface ConfiguredAbi extends ContractAbi {
  /** In lower case; null for an ABI that applies to every contract. */
  readonly address: Data | null;
}

/** The selector `0x12345678` of a call or an error. */
const SELECTOR_CHARACTERS = 10;
const NO_TOPICS: readonly Data[] = [];
const NO_LAYOUTS: readonly AbiLayout[] = [];

/** The layouts and the functions of the standards, which all registries share. */
let compiledStandards: { readonly layouts: AbiLayouts; readonly functions: readonly AbiFunction[] } | undefined;

/** Compiles the standards and the configured ABIs. */
export function createAbiRegistry(configured: readonly ConfiguredAbi[] = []) {
  const indexOf = (abis: readonly ContractAbi[]): AbiLayouts =>
    indexLayouts(abis.flatMap(({ fragments }) => fragments.map((fragment) => ({ fragment, standard: null }))));
  compiledStandards ??= { layouts: indexLayouts(standardEntries()), functions: standardReads() };
  const { layouts: standards, functions } = compiledStandards;
  const global = indexOf(configured.filter(({ address }) => address === null));
  const contracts = new Map(
    configured.flatMap((abi) =>
      abi.address === null
        ? []
        : [[abi.address, { name: abi.contractName, layouts: indexOf([abi]), functions: compileFunctions(abi.fragments) }]],
    ),
  );
  const globalFunctions = compileFunctions(configured.flatMap(({ address, fragments }) => (address === null ? fragments : [])));
  const sharedFunctions = [globalFunctions, functions];

  /** The layouts of a selector, by precedence. Only the ABI of the contract itself counts if it has the selector. */
  const levelsOf = (kind: keyof AbiLayouts, address: Data | null | undefined, selector: Data) => {
    const own = address ? contracts.get(address.toLowerCase())?.layouts[kind].get(selector) : undefined;
    return own ? [own] : [global[kind].get(selector) ?? NO_LAYOUTS, standards[kind].get(selector) ?? NO_LAYOUTS];
  };

  const decodeBySelector = (kind: keyof AbiLayouts, address: Data | null | undefined, text: Data): LayoutValues | undefined => {
    const input = decodeData(text);
    const encoded = { topics: NO_TOPICS, digits: input.slice(SELECTOR_CHARACTERS) };
    return decodeByLevels(levelsOf(kind, address, input.slice(0, SELECTOR_CHARACTERS)), encoded);
  };

  const toDecoded = (kind: keyof AbiLayouts, found: LayoutValues | undefined): DecodedAbi | null => {
    if (!found) return null;
    const { name, signature, selector, shape, parameters } = found.layout;
    const same = standards[kind].get(selector)?.find((layout) => layout.shape === shape);
    const args = parameters.map((parameter, i) => toArgument(parameter, found.values[i]!));
    return { name, signature, selector, standard: same?.standard ?? null, arguments: args };
  };

  return {
    // The input of a contract creation is code.
    /**
     * Decodes the input of a call; null if no ABI or several ABIs fit. Throws UPSTREAM_BAD_RESPONSE for an input that
     * is not hex.
     */
    decodeCall: (to: Data | null | undefined, input: Data): DecodedAbi | null =>
      toDecoded('functions', to ? decodeBySelector('functions', to, input) : undefined),

    /** Decodes a log, as `decodeCall`. The standard of a transfer of ether is EIP-7708, not that of a token. */
    decodeEvent(log: Pick<RpcLog, 'address' | 'topics' | 'data'>): DecodedAbi | null {
      const { address, topics, data } = log;
      const [first, ...indexed] = topics.map(decodeData);
      if (first === undefined) return null;
      const encoded = { topics: indexed, digits: decodeData(data).slice(2) };
      const decoded = toDecoded('events', decodeByLevels(levelsOf('events', address, first), encoded));
      return decoded && isEtherTransferLog(log) ? { ...decoded, standard: 'EIP-7708' } : decoded;
    },

    /**
     * Finds the function that a client names without outputs, by the first level with a function of the name: the ABI of the address,
     * the ABIs for all contracts, the standards. The number of arguments selects among overloads. Throws BAD_USER_INPUT.
     */
    findFunction(address: Data, { name, signature }: NamedFunction, argumentCount: number): AbiFunction {
      const isNamed = ({ outputs }: AbiFunction) =>
        signature === null ? outputs.name === name : outputs.signature === signature;
      for (const functions of [contracts.get(address.toLowerCase())?.functions ?? [], ...sharedFunctions]) {
        const named = functions.filter(isNamed);
        const fitting = named.length > 1 ? named.filter(({ inputs }) => inputs.length === argumentCount) : named;
        if (fitting.length === 1) return fitting[0]!;
        if (named.length > 0) throw ambiguousFunction(fitting.length > 0 ? fitting : named);
      }
      throw unknownFunction(signature ?? name);
    },

    /** Decodes the data that a function returned; null unless it is exactly the encoding of the outputs. */
    decodeOutputs({ outputs: { parameters, body } }: AbiFunction, returned: Data): readonly AbiArgument[] | null {
      const values = readArguments(body, returned.slice(2));
      return values ? parameters.map((parameter, i) => toArgument(parameter, values[i]!)) : null;
    },

    /** Decodes the payload of a revert, as `decodeCall`; also `Error(string)` and `Panic(uint256)`. */
    decodeError: (target: Data | null | undefined, payload: Data): DecodedAbi | null =>
      toDecoded('errors', decodeBySelector('errors', target, payload)),

    /**
     * Describes the custom error of a revert, `InsufficientBalance(available: 1, required: 2)`; null if no ABI or
     * several ABIs fit.
     */
    describeError(target: Data | null | undefined, payload: Data): string | null {
      const found = decodeBySelector('errors', target, payload);
      return found ? describeValues(found) : null;
    },

    /** The contract name in the ABI of an address, in lower case; null without one. */
    contractName: (address: Data): string | null => contracts.get(address)?.name ?? null,
  };
}

/** Decodes calls, events and errors by the ABI of the contract, then the configured ABIs for all contracts, then the standards. */
export type AbiRegistry = ReturnType<typeof createAbiRegistry>;
