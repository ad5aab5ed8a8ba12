import { BREAK, type DocumentNode, GraphQLError, type ValidationRule, visit } from 'graphql';

/** Whether clients may read the schema, by introspection and by the suggestions in errors. */
export interface IntrospectionSetting {
  readonly INTROSPECTION: 'on' | 'off';
}

/** Root fields that return the schema. `_service` of a subgraph is not one of them: routers read it for composition. */
const SCHEMA_FIELDS: ReadonlySet<string> = new Set(['__schema', '__type']);

/** Rejects documents that read the schema. `__typename` is allowed: it reveals only types of the document's own fields. */
export const noIntrospectionRule: ValidationRule = (context) => ({
  Field(node) {
    if (!SCHEMA_FIELDS.has(node.name.value)) return;
    context.reportError(new GraphQLError('Introspection is off on this server (INTROSPECTION).', { nodes: node }));
  },
});

const schemaReads = new WeakMap<DocumentNode, boolean>();

/** Whether a document reads the schema, which a new version of the server may change. */
export function readsSchema(document: DocumentNode): boolean {
  const known = schemaReads.get(document);
  if (known !== undefined) return known;
  let isFound = false;
  visit(document, {
    Field({ name }) {
      if (!SCHEMA_FIELDS.has(name.value) && name.value !== '_service') return undefined;
      isFound = true;
      return BREAK;
    },
  });
  schemaReads.set(document, isFound);
  return isFound;
}

const SUGGESTION = / Did you mean .*\?$/s;

/** Removes suggested schema names from a message of graphql-js. */
export const withoutSuggestion = (message: string): string => message.replace(SUGGESTION, '');
