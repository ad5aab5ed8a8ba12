import { ErrorFragment, EventFragment, FunctionFragment, type ParamType } from 'ethers/abi';
import type { Data } from '../hex.ts';
import { abiTypeOf } from './reader.ts';

/** The fragments of an ABI that can be decoded. */
export type AbiFragment = FunctionFragment | EventFragment | ErrorFragment;

/** A function, an event or an error, compiled for decoding. */
export type AbiLayout = Readonly<ReturnType<typeof compile>>;

/** A parameter of a function, an event or an error, compiled for decoding. */
export type AbiParameter = AbiLayout['parameters'][number];

/** A function with the layout of its outputs: the name, signature and selector of the function, its outputs as parameters. */
export type AbiFunction = ReturnType<typeof compileFunction>;

/** The layouts of one ABI, or of several. */
export type AbiLayouts = ReturnType<typeof indexLayouts>;

/** A fragment, and the standard that it belongs to. */
export interface AbiEntry {
  readonly fragment: AbiFragment;
  readonly standard: string | null;
}

/**
 * Compiles the fragments of ABIs. If fragments differ only in the names of parameters or in their standard, the
 * differing part becomes null.
 */
export function indexLayouts(entries: readonly AbiEntry[]) {
  /** Layouts by selector. Layouts of one selector have different shapes. */
  const layoutsOf = (type: new (...args: never[]) => AbiFragment): ReadonlyMap<Data, readonly AbiLayout[]> => {
    const index = new Map<Data, AbiLayout[]>();
    for (const { fragment, standard } of entries) if (fragment instanceof type) addLayout(index, compile(fragment, standard));
    return index;
  };
  return { functions: layoutsOf(FunctionFragment), events: layoutsOf(EventFragment), errors: layoutsOf(ErrorFragment) };
}

function addLayout(index: Map<Data, AbiLayout[]>, layout: AbiLayout): void {
  const layouts = index.get(layout.selector) ?? [];
  const same = layouts.findIndex(({ shape }) => shape === layout.shape);
  if (same < 0) layouts.push(layout);
  else layouts[same] = mergeLayouts(layouts[same]!, layout);
  index.set(layout.selector, layouts);
}

/** Compiles the functions of ABIs. If functions differ only in the names of outputs, these become null. */
export function compileFunctions(fragments: readonly AbiFragment[]): readonly AbiFunction[] {
  const byShape = new Map<string, AbiFunction>();
  for (const fragment of fragments) {
    if (!(fragment instanceof FunctionFragment)) continue;
    const { inputs, outputs } = compileFunction(fragment);
    const same = byShape.get(outputs.shape);
    byShape.set(outputs.shape, { inputs, outputs: same ? mergeLayouts(same.outputs, outputs) : outputs });
  }
  return [...byShape.values()];
}

export const compileFunction = (fragment: FunctionFragment) => ({
  inputs: fragment.inputs,
  outputs: compile(fragment, null, fragment.outputs),
});

const mergeLayouts = (a: AbiLayout, b: AbiLayout): AbiLayout => ({
  ...a,
  standard: a.standard === b.standard ? a.standard : null,
  parameters: a.parameters.map((parameter, i) =>
    parameter.name === b.parameters[i]!.name ? parameter : { ...parameter, name: null },
  ),
});

function compile(fragment: AbiFragment, standard: string | null, params = fragment.inputs) {
  const signature = fragment.format('sighash');
  const parameters = params.map((input) => ({
    /** Null if it has none, or if ABIs give it different names. */
    name: input.name || null,
    /** Canonical, as in the signature: `(address,uint256)[]`. */
    type: input.format('sighash'),
    /** Null for a parameter of a function or an error. */
    indexed: fragment instanceof EventFragment ? input.indexed === true : null,
    /** Whether a topic has the hash of the value instead of the value. */
    isHashed: ['array', 'tuple', 'bytes', 'string'].includes(input.baseType),
    reader: abiTypeOf(input),
  }));
  return {
    name: fragment.name,
    signature,
    /** Selector of 4 bytes, or first topic of an event. */
    selector: fragment instanceof EventFragment ? fragment.topicHash : fragment.selector,
    /**
     * The signature, and the other properties that determine the decoded values: indexed parameters, and the names in
     * tuples.
     */
    shape: `${signature} ${params.map(shapeOf).join()}`,
    /** The only standard that defines this layout; null if no standard or several standards define it. */
    standard,
    parameters,
    /** Readers of the parameters that are not indexed. */
    body: parameters.filter(({ indexed }) => !indexed).map(({ reader }) => reader),
  };
}

/** A parameter without its name, but with the names in its tuples. */
function shapeOf(parameter: ParamType): string {
  const text = parameter.format('full');
  return parameter.name ? text.slice(0, -parameter.name.length).trimEnd() : text;
}
