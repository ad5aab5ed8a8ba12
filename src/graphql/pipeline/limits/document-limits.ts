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

/** What a document may have at most; each is the setting of that name. */
export interface DocumentLimits {
  readonly MAX_TOKENS: number;
  readonly MAX_DEPTH: number;
  readonly MAX_ALIASES: number;
  readonly MAX_DIRECTIVES: number;
  readonly MAX_ROOT_FIELDS: number;
  readonly MAX_FRAGMENTS: number;
}

/** An introspection query of GraphiQL is 15 deep: a field, its argument, and the type of that with nine wrappers. */
const MAX_INTROSPECTION_DEPTH = 16;
/** A tool asks for the schema once and for a few types; each answer can be the size of the schema. */
const MAX_INTROSPECTIONS = 5;
/** With fragments opened wherever they are spread, some times what one can write out. Whoever walks an operation walks no further. */
const MAX_SELECTIONS = 10_000;
/** One of them runs; an app that sends all that it has in one document has fewer. */
const MAX_OPERATIONS = 50;
/** A hundred accounts with two arguments each fit; each variable is declared, checked and converted. */
const MAX_VARIABLES = 250;
/** Lists, objects and list types inside each other. The deepest value of the schema has 3 levels. */
export const MAX_VALUE_DEPTH = 16;

/** A refusal that names the limit; what it measures is the document with its fragments opened. */
const limitExceeded = (what: string, actual: number, limit: number, setting?: keyof DocumentLimits): GraphError =>
  new GraphError(
    'QUERY_TOO_COMPLEX',
    `The document has ${actual} ${what} and the limit is ${limit}${setting ? ` (${setting})` : ''}.`,
    { limit, actual },
  );

/** What a definition has, without the fragments that it spreads. */
interface SelectionCounts {
  selections: number;
  aliases: number;
  directives: number;
  rootFields: number;
  introspections: number;
  /** Fields inside each other, those under `__schema` and `__type` counted apart. */
  depth: number;
  introspectionDepth: number;
}

interface DefinitionCounts extends SelectionCounts {
  variables: number;
  valueDepth: number;
  /** The fragments that it spreads, each with the depths at which it does. */
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

/** Counts what stands in one definition. `visit` does not recurse, so its nesting is no danger here. */
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

/** The counts of definitions with their fragments opened: each fragment is counted once, however often it is spread. */
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
        // A fragment that leads back to itself meets nothing here; that it does is for validation to say.
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

/** Why a document is refused unseen by anything that could be hurt by it; undefined when it is not. */
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

/** Refuses a document that passes a limit before the other rules look at it, since their work can grow faster than it does. */
export const documentLimitsRule =
  (limits: DocumentLimits): ValidationRule =>
  (context) => ({
    Document(document) {
      const failure = documentLimitError(document, limits);
      if (!failure) return;
      const error = new GraphQLError(failure.message, { originalError: failure });
      // Reported until graphql-js has enough errors and stops: there is no other way to end a validation from inside.
      for (;;) context.reportError(error);
    },
  });

/** What graphql-js says of a document with more tokens than `maxTokens`. */
const TOO_MANY_TOKENS = /^Syntax Error: Document contains more that (\d+) tokens/;

/** The refusal of a document that the parser gave up on for its length; undefined when it gave up for another reason. */
export function tokenLimitError(message: string, source: Source | undefined): GraphError | undefined {
  const limit = Number(TOO_MANY_TOKENS.exec(message)?.[1]);
  return source && limit > 0 ? limitExceeded('tokens', countTokens(source), limit, 'MAX_TOKENS') : undefined;
}

/** The body's own limit keeps this short: 256 KiB are 15 ms. */
function countTokens(source: Source): number {
  const lexer = new Lexer(source);
  let count = 0;
  try {
    while (lexer.advance().kind !== TokenKind.EOF) count++;
  } catch {
    // What comes next is no token; so many there are at least.
  }
  return count;
}
