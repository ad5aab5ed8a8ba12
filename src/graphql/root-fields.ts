import { type FieldNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql';

/** Returns every selection of a root field, whatever its `@skip` and `@include`, visiting each fragment once. */
export function rootFieldNodes(
  { selections }: SelectionSetNode,
  fragments: Readonly<Record<string, FragmentDefinitionNode>>,
  visited: Set<string> = new Set(),
): readonly FieldNode[] {
  return selections.flatMap((node) => {
    if (node.kind === Kind.FIELD) return [node];
    if (node.kind === Kind.INLINE_FRAGMENT) return rootFieldNodes(node.selectionSet, fragments, visited);
    const fragment = fragments[node.name.value];
    if (!fragment || visited.has(node.name.value)) return [];
    visited.add(node.name.value);
    return rootFieldNodes(fragment.selectionSet, fragments, visited);
  });
}
