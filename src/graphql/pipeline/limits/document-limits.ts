import {
  type DefinitionNode,
  type DocumentNode,
  GraphQLError,
  Kind,
  Lexer,
  type Source,
  TokenKind,
  type ValidationRule,
  visit,
} from 'graphql';
import { GraphError } from '../../../errors.ts';

/** Limits of one document; each property is the setting of that name. */
export interface DocumentLimits {
  readonly MAX_TOKENS: number;
  readonly MAX_DEPTH: number;
  readonly MAX_ALIASES: number;
  readonly MAX_DIRECTIVES: number;
  readonly MAX_ROOT_FIELDS: number;
  readonly MAX_FRAGMENTS: number;
}

/** The introspection query of GraphiQL has depth 15: a field, its argument, and its type with nine wrappers. */
const MAX_INTROSPECTION_DEPTH = 16;
/** Tools query the schema once and a few types; each result can be as large as the schema. */
const MAX_INTROSPECTIONS = 5;
/** Selections after expanding fragments; limits every traversal of an operation. */
const MAX_SELECTIONS = 10_000;
/** An application that sends all of its operations in one document has fewer. */
const MAX_OPERATIONS = 50;
/** Enough for a hundred accounts with two arguments each. */
const MAX_VARIABLES = 250;
/** Nesting of lists, objects and list types. The deepest value of the schema has 3 levels. */
export const MAX_VALUE_DEPTH = 16;

/** Creates the error for an exceeded limit; `actual` counts expanded fragments. */
const limitExceeded = (what: string, actual: number, limit: number, setting?: keyof DocumentLimits): GraphError =>
  new GraphError(
    'QUERY_TOO_COMPLEX',
    `The document has ${actual} ${what} and the limit is ${limit}${setting ? ` (${setting})` : ''}.`,
    { limit, actual },
  );

/** Counts of a definition without the fragments that it spreads. */
interface SelectionCounts {
  selections: number;
  aliases: number;
  directives: number;
  rootFields: number;
  introspections: number;
  /** Nesting of fields, without those under `__schema` and `__type`. */
  depth: number;
  introspectionDepth: number;
}

interface DefinitionCounts extends SelectionCounts {
  variables: number;
  valueDepth: number;
  /** The fragments that it spreads, with their depths. */
  readonly spreads: { readonly name: string; readonly depth: number; readonly introspectionDepth: number }[];
}

const zeroCounts = (): SelectionCounts => ({
  selections: 0,
  aliases: 0,
  directives: 0,
  rootFields: 0,
  introspections: 0,
  depth: 0,
  introspectionDepth: 0,
});

const INTROSPECTION_FIELDS: ReadonlySet<string> = new Set(['__schema', '__type']);

/** Counts one definition. `visit` does not recurse, so deep nesting cannot overflow the stack. */
function countDefinition(definition: DefinitionNode): DefinitionCounts {
  const found: DefinitionCounts = { ...zeroCounts(), variables: 0, valueDepth: 0, spreads: [] };
  const ofSchema = definition.kind === Kind.FRAGMENT_DEFINITION && definition.typeCondition.name.value.startsWith('__');
  let depth = 0;
  let introspectionDepth = 0;
  let valueDepth = 0;
  const nesting = {
    enter: () => {
      found.valueDepth = Math.max(found.valueDepth, ++valueDepth);
    },
    leave: () => {
      valueDepth--;
    },
  };
  visit(definition, {
    Field: {
      enter({ name, alias }) {
        const introspects = INTROSPECTION_FIELDS.has(name.value);
        if (ofSchema || introspects || introspectionDepth > 0) introspectionDepth++;
        else depth++;
        found.selections++;
        if (alias) found.aliases++;
        if (introspects) found.introspections++;
        if (depth + introspectionDepth === 1) found.rootFields++;
        found.depth = Math.max(found.depth, depth);
        found.introspectionDepth = Math.max(found.introspectionDepth, introspectionDepth);
      },
      leave() {
        if (introspectionDepth > 0) introspectionDepth--;
        else depth--;
      },
    },
    InlineFragment() {
      found.selections++;
    },
    FragmentSpread({ name }) {
      found.selections++;
      found.spreads.push({ name: name.value, depth, introspectionDepth });
    },
    Directive() {
      found.directives++;
    },
    VariableDefinition() {
      found.variables++;
    },
    ListValue: nesting,
    ObjectValue: nesting,
    ListType: nesting,
  });
  return found;
}

/** Returns a function that counts a definition with its fragments expanded. Each fragment is expanded once and its counts are reused. */
function createFragmentExpander(
  fragments: ReadonlyMap<string, DefinitionCounts>,
): (definition: DefinitionCounts) => SelectionCounts {
  const opened = new Map<string, SelectionCounts>();
  const open = (definition: DefinitionCounts): SelectionCounts => {
    const total: SelectionCounts = { ...definition };
    for (const { name, depth, introspectionDepth } of definition.spreads) {
      const fragment = fragments.get(name);
      if (!fragment) continue;
      let inside = opened.get(name);
      if (!inside) {
        // A cyclic fragment counts zero here; validation rejects it.
        opened.set(name, zeroCounts());
        inside = open(fragment);
        opened.set(name, inside);
      }
      total.selections += inside.selections;
      total.aliases += inside.aliases;
      total.directives += inside.directives;
      total.introspections += inside.introspections;
      if (depth + introspectionDepth === 0) total.rootFields += inside.rootFields;
      total.depth = Math.max(total.depth, depth + inside.depth);
      total.introspectionDepth = Math.max(total.introspectionDepth, introspectionDepth + inside.introspectionDepth);
    }
    return total;
  };
  return open;
}

/** Returns the error of the first exceeded limit; undefined if the document is within all limits. */
export function documentLimitError(document: DocumentNode, limits: DocumentLimits): GraphError | undefined {
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION).length;
  if (fragments > limits.MAX_FRAGMENTS) return limitExceeded('fragments', fragments, limits.MAX_FRAGMENTS, 'MAX_FRAGMENTS');
  const operations = document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION).length;
  if (operations > MAX_OPERATIONS) return limitExceeded('operations', operations, MAX_OPERATIONS);
  const definitions = document.definitions.map((node) => [node, countDefinition(node)] as const);
  const open = createFragmentExpander(
    new Map(definitions.flatMap(([node, found]) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, found]] : []))),
  );
  for (const [node, found] of definitions) {
    const total = open(found);
    const checks: [what: string, actual: number, limit: number, setting?: keyof DocumentLimits][] = [
      ['levels of lists and objects in a value', found.valueDepth, MAX_VALUE_DEPTH],
      ['variables', found.variables, MAX_VARIABLES],
      ['levels of fields', total.depth, limits.MAX_DEPTH, 'MAX_DEPTH'],
      ['levels of introspection', total.introspectionDepth, MAX_INTROSPECTION_DEPTH],
      ['aliases', total.aliases, limits.MAX_ALIASES, 'MAX_ALIASES'],
      ['directives', total.directives, limits.MAX_DIRECTIVES, 'MAX_DIRECTIVES'],
      ['uses of __schema and __type', total.introspections, MAX_INTROSPECTIONS],
      ['fields and fragments to open', total.selections, MAX_SELECTIONS],
    ];
    if (node.kind === Kind.OPERATION_DEFINITION) {
      checks.push(['fields at the root', total.rootFields, limits.MAX_ROOT_FIELDS, 'MAX_ROOT_FIELDS']);
    }
    const passed = checks.find(([, actual, limit]) => actual > limit);
    if (passed) return limitExceeded(...passed);
  }
  return undefined;
}

/** Rejects a document beyond a limit before the other rules visit it, since their work can grow faster than the document. */
export const documentLimitsRule =
  (limits: DocumentLimits): ValidationRule =>
  (context) => ({
    Document(document) {
      const failure = documentLimitError(document, limits);
      if (!failure) return;
      const error = new GraphQLError(failure.message, { originalError: failure });
      // graphql-js aborts validation at its maximum number of errors; a rule has no other way to abort it.
      for (;;) context.reportError(error);
    },
  });

/** Message of graphql-js for a document with more tokens than `maxTokens`. */
const TOO_MANY_TOKENS = /^Syntax Error: Document contains more that (\d+) tokens/;

/** Returns the error for a document with too many tokens; undefined for other syntax errors. */
export function tokenLimitError(message: string, source: Source | undefined): GraphError | undefined {
  const limit = Number(TOO_MANY_TOKENS.exec(message)?.[1]);
  return source && limit > 0 ? limitExceeded('tokens', countTokens(source), limit, 'MAX_TOKENS') : undefined;
}

/** Counts all tokens. The body limit of 256 KiB bounds this to about 15 ms. */
function countTokens(source: Source): number {
  const lexer = new Lexer(source);
  let count = 0;
  try {
    while (lexer.advance().kind !== TokenKind.EOF) count++;
  } catch {
    // The rest is not GraphQL; the count is a lower bound.
  }
  return count;
}
