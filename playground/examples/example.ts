import { Kind, type OperationDefinitionNode, parse } from 'graphql';

/** The groups of examples, in their order. */
export const EXAMPLE_GROUPS = ['Start', 'Blocks', 'Accounts and tokens', 'Tournament', 'Live', 'Send', 'Webhooks'] as const;

export type ExampleGroup = (typeof EXAMPLE_GROUPS)[number];

/** One file of `examples/`. Its first line is `# <group>: <title>`. */
export interface Example {
  readonly group: ExampleGroup;
  readonly title: string;
  /** The whole file. */
  readonly query: string;
  readonly kind: 'query' | 'mutation' | 'subscription';
  readonly operationName: string;
  /** Names of its variables. */
  readonly variables: readonly string[];
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const isOperation = (definition: { readonly kind: string }): definition is OperationDefinitionNode =>
  definition.kind === Kind.OPERATION_DEFINITION;

/** Reads a file of `examples/`. Throws where its first line or its operation has no name. */
export function exampleOf(query: string): Example {
  const [, group, title] = /^# ([^:]+): (.+)$/m.exec(query)!;
  const operation = parse(query).definitions.find(isOperation)!;
  return {
    group: group as ExampleGroup,
    title: capitalized(title!),
    query,
    // A live query has events, too.
    kind: operation.directives?.some(({ name }) => name.value === 'live') ? 'subscription' : operation.operation,
    operationName: operation.name!.value,
    variables: (operation.variableDefinitions ?? []).map(({ variable }) => variable.name.value),
  };
}
