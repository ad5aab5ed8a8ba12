import { type DefinitionNode, Kind, visit } from 'graphql';
import { isChecksummedAddress } from '../scalars.ts';

const NO_SELECTIONS = {
  selections: 0,
  aliases: 0,
  directives: 0,
  rootFields: 0,
  introspections: 0,
  /** Nesting of fields, except below `__schema` and `__type`. */
  depth: 0,
  introspectionDepth: 0,
};

/** Counts of a definition without the fragments that it spreads. */
type SelectionCounts = typeof NO_SELECTIONS;

interface DefinitionCounts extends SelectionCounts {
  variables: number;
  valueDepth: number;
  /** Addresses in mixed case. */
  checksums: number;
  /** The fragments that it spreads, with their depths. */
  readonly spreads: { readonly name: string; readonly depth: number; readonly introspectionDepth: number }[];
}

const INTROSPECTION_FIELDS: ReadonlySet<string> = new Set(['__schema', '__type']);

/** Counts one definition. `visit` does not recurse, so deep nesting cannot overflow the stack. */
export function countDefinition(definition: DefinitionNode): DefinitionCounts {
  const counts: DefinitionCounts = { ...NO_SELECTIONS, variables: 0, valueDepth: 0, checksums: 0, spreads: [] };
  const isIntrospectionType =
    definition.kind === Kind.FRAGMENT_DEFINITION && definition.typeCondition.name.value.startsWith('__');
  let depth = 0;
  let introspectionDepth = 0;
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
        const isIntrospection = INTROSPECTION_FIELDS.has(name.value);
        if (isIntrospectionType || isIntrospection || introspectionDepth > 0) introspectionDepth++;
        else depth++;
        counts.selections++;
        if (alias) counts.aliases++;
        if (isIntrospection) counts.introspections++;
        if (depth + introspectionDepth === 1) counts.rootFields++;
        counts.depth = Math.max(counts.depth, depth);
        counts.introspectionDepth = Math.max(counts.introspectionDepth, introspectionDepth);
      },
      leave() {
        if (introspectionDepth > 0) introspectionDepth--;
        else depth--;
      },
    },
    InlineFragment() {
      counts.selections++;
    },
    FragmentSpread({ name }) {
      counts.selections++;
      counts.spreads.push({ name: name.value, depth, introspectionDepth });
    },
    Directive() {
      counts.directives++;
    },
    VariableDefinition() {
      counts.variables++;
    },
    StringValue({ value }) {
      if (isChecksummedAddress(value)) counts.checksums++;
    },
    ListValue: nesting,
    ObjectValue: nesting,
    ListType: nesting,
  });
  return counts;
}

/** Returns a function that counts a definition with its fragments expanded. Each fragment is expanded once and its counts are reused. */
export function createFragmentExpander(
  fragments: ReadonlyMap<string, DefinitionCounts>,
): (definition: DefinitionCounts) => SelectionCounts {
  const expandedFragments = new Map<string, SelectionCounts>();
  const expand = (definition: DefinitionCounts): SelectionCounts => {
    const total: SelectionCounts = { ...definition };
    for (const { name, depth, introspectionDepth } of definition.spreads) {
      const fragment = fragments.get(name);
      if (!fragment) continue;
      let fragmentCounts = expandedFragments.get(name);
      if (!fragmentCounts) {
        // A cyclic fragment counts zero here; validation rejects it.
        expandedFragments.set(name, NO_SELECTIONS);
        fragmentCounts = expand(fragment);
        expandedFragments.set(name, fragmentCounts);
      }
      total.selections += fragmentCounts.selections;
      total.aliases += fragmentCounts.aliases;
      total.directives += fragmentCounts.directives;
      total.introspections += fragmentCounts.introspections;
      if (depth + introspectionDepth === 0) total.rootFields += fragmentCounts.rootFields;
      total.depth = Math.max(total.depth, depth + fragmentCounts.depth);
      total.introspectionDepth = Math.max(total.introspectionDepth, introspectionDepth + fragmentCounts.introspectionDepth);
    }
    return total;
  };
  return expand;
}
