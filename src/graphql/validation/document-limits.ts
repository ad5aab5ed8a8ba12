import { type DefinitionNode, type DocumentNode, Kind, visit } from 'graphql';
import { isChecksummedAddress } from '../../ethereum/address.ts';
import { GraphError } from '../../lib/errors.ts';
import { fragmentsOf } from '../selection.ts';

const NO_COUNTS = {
  selections: 0,
  aliases: 0,
  directives: 0,
  rootFields: 0,
  introspections: 0,
  /** Nesting of fields. */
  depth: 0,
  // The counts below exclude the fragments that the definition spreads.
  variables: 0,
  valueDepth: 0,
  /** Addresses in mixed case. */
  checksums: 0,
};

type DefinitionCounts = typeof NO_COUNTS;

/** Root fields that return the schema. Excludes `_service` of a subgraph, because routers read it for composition. */
export const INTROSPECTION_FIELDS: ReadonlySet<string> = new Set(['__schema', '__type']);

/**
 * Returns a function that counts a definition with its fragments expanded. Each definition is counted once. `visit` does not recurse, so deep nesting
 * cannot overflow the stack.
 */
function createDefinitionCounter(document: DocumentNode): (definition: DefinitionNode) => DefinitionCounts {
  const fragments = fragmentsOf(document);
  const known = new Map<DefinitionNode, DefinitionCounts>();
  return function countDefinition(definition) {
    const cached = known.get(definition);
    if (cached) return cached;
    // A cyclic fragment counts zero inside itself; validation rejects it.
    known.set(definition, NO_COUNTS);
    const counts = { ...NO_COUNTS };
    let depth = 0;
    let valueDepth = 0;
    const nesting = {
      enter: () => {
        counts.valueDepth = Math.max(counts.valueDepth, ++valueDepth);
      },
      leave: () => {
        valueDepth--;
      },
    };
    visit(definition, {
      Field: {
        enter({ name, alias }) {
          depth++;
          counts.selections++;
          if (alias) counts.aliases++;
          if (INTROSPECTION_FIELDS.has(name.value)) counts.introspections++;
          if (depth === 1) counts.rootFields++;
          counts.depth = Math.max(counts.depth, depth);
        },
        leave() {
          depth--;
        },
      },
      InlineFragment: () => void counts.selections++,
      FragmentSpread({ name }) {
        const fragment = fragments[name.value];
        const inner = fragment ? countDefinition(fragment) : NO_COUNTS;
        counts.selections += 1 + inner.selections;
        counts.aliases += inner.aliases;
        counts.directives += inner.directives;
        counts.introspections += inner.introspections;
        if (depth === 0) counts.rootFields += inner.rootFields;
        counts.depth = Math.max(counts.depth, depth + inner.depth);
      },
      Directive: () => void counts.directives++,
      VariableDefinition: () => void counts.variables++,
      StringValue({ value }) {
        if (isChecksummedAddress(value)) counts.checksums++;
      },
      ListValue: nesting,
      ObjectValue: nesting,
      ListType: nesting,
    });
    known.set(definition, counts);
    return counts;
  };
}

/** Limits of one document; each property is the setting with the name of the property. */
export type DocumentLimits = Readonly<
  Record<'MAX_TOKENS' | 'MAX_DEPTH' | 'MAX_ALIASES' | 'MAX_DIRECTIVES' | 'MAX_ROOT_FIELDS' | 'MAX_FRAGMENTS', number>
>;

/**
 * Limit of the depth of an operation with introspection if MAX_DEPTH is lower: the introspection query of GraphiQL has
 * depth 15, a field, its argument, and its type with nine wrappers.
 */
const MIN_INTROSPECTION_DEPTH = 16;
/** Tools query the schema once and a few types; each result can be as large as the schema. */
const MAX_INTROSPECTIONS = 5;
/** Selections after expanding fragments; limits every traversal of an operation. */
const MAX_SELECTIONS = 10_000;
/** Selections of all operations after expanding fragments; limits the work of validation. */
const MAX_DOCUMENT_SELECTIONS = 50_000;
/** More than an application needs that sends all of its operations in one document. */
const MAX_OPERATIONS = 50;
/** Enough for a hundred accounts with two arguments each. */
const MAX_VARIABLES = 250;
/** Addresses in mixed case, whose checksum takes 10 µs each; an address in lower case takes no time. */
export const MAX_CHECKSUMS = 2_000;
/** Nesting of lists, objects and list types. The deepest value of the schema has 3 levels. */
export const MAX_VALUE_DEPTH = 16;

/** Creates the error for an exceeded limit; `actual` counts expanded fragments. */
function limitExceeded(counted: string, actual: number, limit: number, setting?: keyof DocumentLimits): GraphError {
  const message = `The document has ${actual} ${counted} and the limit is ${limit}${setting ? ` (${setting})` : ''}.`;
  return new GraphError('QUERY_TOO_COMPLEX', message, { limit, actual, ...(setting && { setting }) });
}

/** Returns the error of the first exceeded limit; undefined if the document is within all limits. */
export function documentLimitError(document: DocumentNode, limits: DocumentLimits): GraphError | undefined {
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION).length;
  if (fragments > limits.MAX_FRAGMENTS) return limitExceeded('fragments', fragments, limits.MAX_FRAGMENTS, 'MAX_FRAGMENTS');
  const operations = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION).length;
  if (operations > MAX_OPERATIONS) return limitExceeded('operations', operations, MAX_OPERATIONS);
  const countDefinition = createDefinitionCounter(document);
  let selections = 0;
  for (const node of document.definitions) {
    const total = countDefinition(node);
    if (node.kind === Kind.OPERATION_DEFINITION) selections += total.selections;
    const checks: [counted: string, actual: number, limit: number, setting?: keyof DocumentLimits][] = [
      ['levels of lists and objects in a value', total.valueDepth, MAX_VALUE_DEPTH],
      ['variables', total.variables, MAX_VARIABLES],
      ['addresses with a checksum', total.checksums, MAX_CHECKSUMS],
      ['aliases', total.aliases, limits.MAX_ALIASES, 'MAX_ALIASES'],
      ['directives', total.directives, limits.MAX_DIRECTIVES, 'MAX_DIRECTIVES'],
      ['uses of __schema and __type', total.introspections, MAX_INTROSPECTIONS],
      ['fields and fragments after expansion', total.selections, MAX_SELECTIONS],
    ];
    // An operation includes its fragments.
    if (node.kind === Kind.OPERATION_DEFINITION) {
      const maxDepth = total.introspections > 0 ? Math.max(limits.MAX_DEPTH, MIN_INTROSPECTION_DEPTH) : limits.MAX_DEPTH;
      checks.push(['levels of fields', total.depth, maxDepth, 'MAX_DEPTH']);
      checks.push(['fields at the root', total.rootFields, limits.MAX_ROOT_FIELDS, 'MAX_ROOT_FIELDS']);
    }
    const exceeded = checks.find(([, actual, limit]) => actual > limit);
    if (exceeded) return limitExceeded(...exceeded);
  }
  if (selections > MAX_DOCUMENT_SELECTIONS)
    return limitExceeded('fields and fragments of all operations after expansion', selections, MAX_DOCUMENT_SELECTIONS);
  return undefined;
}
