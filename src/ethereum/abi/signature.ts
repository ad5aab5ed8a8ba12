import { FunctionFragment } from 'ethers/abi';
import { LRUCache } from 'lru-cache';
import { GraphError } from '../../lib/errors.ts';
import { type AbiFunction, compileFunction } from './layouts.ts';

/** A function as a client names it: by its name, its name and parameter types, or completely. */
export interface NamedFunction {
  readonly name: string;
  /** `balanceOf(address)`; null without parameter types. */
  readonly signature: string | null;
  /** The function with its outputs; null without outputs. */
  readonly complete: AbiFunction | null;
}

/** Limits of a text. ethers parses such a text in 2.5 ms, and 2,000 nested parentheses in 800 ms. */
const MAX_CHARACTERS = 1_000;
const MAX_DEPTH = 8;
/**
 * Types that ethers accepts and Solidity does not: arrays of length 0 and empty tuples, whose decoded values can be larger than the data; sizes with a
 * leading zero, which have another selector. Also arrays of more than 8 dimensions.
 */
const REJECTED_TYPE = /\[0|[a-z]0|[(,]\(\)|(?:\[\d*\]){9}/;
const SIGNATURE = /^\s*(?:function\s+)?([A-Za-z_$][\w$]*)\s*(\(.*)?$/s;

const invalidFunction = (problem: string, cause?: unknown): GraphError => {
  const accepted = 'Pass a signature with outputs, such as `balanceOf(address)(uint256)`, or the name of a function of an ABI';
  return new GraphError('BAD_USER_INPUT', `Invalid \`function\`: ${problem}. ${accepted}.`, { cause });
};

/** The error for a name that no ABI has. */
export const unknownFunction = (name: string): GraphError => invalidFunction(`no ABI has ${name}`);

/** Maximum number of candidates that an error names. */
const MAX_CANDIDATES = 5;

/** The error for a name that several functions of an ABI have. */
export function ambiguousFunction(candidates: readonly AbiFunction[]): GraphError {
  const texts = candidates.map(({ outputs }) => `${outputs.signature}(${outputs.parameters.map(({ type }) => type).join()})`);
  return invalidFunction(`it can be ${texts.slice(0, MAX_CANDIDATES).join(' or ')}`);
}

/**
 * Parses `balanceOf(address)(uint256)`, `function balanceOf(address owner) view returns (uint256 balance)`, and either without outputs or types;
 * equal texts once. Throws BAD_USER_INPUT.
 */
export const parseFunction = (text: string): NamedFunction => cache.memo(text);

const cache = new LRUCache<string, NamedFunction>({ max: 1_000, memoMethod: parse });

function parse(text: string): NamedFunction {
  if (text.length > MAX_CHARACTERS) throw invalidFunction(`it has more than ${MAX_CHARACTERS} characters`);
  const [, name, types] = SIGNATURE.exec(text) ?? [];
  if (name === undefined) throw invalidFunction('it is no signature');
  if (types === undefined) return { name, signature: null, complete: null };
  const end = endOfParameters(types);
  const rest = types.slice(end).trim();
  const hasOutputs = /^\(|\breturns\b/.test(rest);
  try {
    const outputs = rest.startsWith('(') ? `returns ${rest}` : rest;
    const fragment = FunctionFragment.from(`function ${name}${types.slice(0, end)} ${outputs}`.trim());
    const all = [...fragment.inputs, ...fragment.outputs].map((param) => param.format('sighash'));
    if (REJECTED_TYPE.test(`(${all.join()})`)) throw invalidFunction('it has a type that Solidity does not have');
    return { name, signature: fragment.format('sighash'), complete: hasOutputs ? compileFunction(fragment) : null };
  } catch (cause) {
    throw cause instanceof GraphError ? cause : invalidFunction('it is no signature', cause);
  }
}

/** The position after the first parentheses. Checks the nesting of the whole text. */
function endOfParameters(text: string): number {
  let [depth, end] = [0, 0];
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '(') depth += 1;
    if (text[i] === ')') depth -= 1;
    if (depth === 0 && end === 0) end = i + 1;
    if (depth > MAX_DEPTH) throw invalidFunction(`its parentheses are nested more than ${MAX_DEPTH} levels`);
  }
  return end;
}
