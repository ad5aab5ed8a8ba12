import type { Data } from '../hex.ts';
import type { AbiLayout, AbiParameter } from './layouts.ts';
import { type AbiValue, readArguments } from './reader.ts';

/** Characters of a topic: 32 bytes. */
const TOPIC_CHARACTERS = 66;

/** An argument of a decoded call or event. */
export interface AbiArgument {
  readonly name: string | null;
  readonly type: string;
  readonly indexed: boolean | null;
  readonly value: string;
  /** The value of an address argument. */
  readonly address: Data | null;
}

/** A decoded call, event or error. */
export interface DecodedAbi {
  readonly name: string;
  readonly signature: string;
  readonly selector: Data;
  /** The only standard that defines it; null if none does, or several do. */
  readonly standard: string | null;
  readonly arguments: readonly AbiArgument[];
}

/** Encoded arguments: topics without the first one, and the hex digits of the others. */
interface EncodedArguments {
  readonly topics: readonly Data[];
  readonly digits: string;
}

/** A layout with the values of its parameters. */
export interface LayoutValues {
  readonly layout: AbiLayout;
  readonly values: readonly AbiValue[];
}

/**
 * Decodes arguments by the first level, in order of precedence, with a layout that fits them. Undefined if none fits, or if several of that level
 * do: then it is unknown which one the contract has.
 */
export function decodeByLevels(levels: readonly (readonly AbiLayout[])[], encoded: EncodedArguments): LayoutValues | undefined {
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

/** The decoded form of values. `standard`: the standard of the layout. */
export const toDecodedAbi = (
  { layout: { name, signature, selector, parameters }, values }: LayoutValues,
  standard: string | null,
): DecodedAbi => ({
  name,
  signature,
  selector,
  standard,
  arguments: parameters.map((parameter, i) => toArgument(parameter, values[i]!)),
});

function toArgument({ name, type, indexed }: AbiParameter, decoded: AbiValue): AbiArgument {
  const value = typeof decoded === 'string' ? decoded : JSON.stringify(decoded);
  return { name, type, indexed, value, address: type === 'address' ? value : null };
}

/** A call as text: `InsufficientBalance(available: 1, required: 2)`. Strings are quoted, so that they cannot imitate arguments. */
export function describeValues({ layout: { name, parameters }, values }: LayoutValues): string {
  const texts = parameters.map((parameter, i) => {
    const value = values[i]!;
    const text = typeof value === 'string' && parameter.type !== 'string' ? value : JSON.stringify(value);
    return parameter.name === null ? text : `${parameter.name}: ${text}`;
  });
  return `${name}(${texts.join(', ')})`;
}
