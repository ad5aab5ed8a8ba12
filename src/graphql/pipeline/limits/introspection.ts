import { GraphQLError, type ValidationRule } from 'graphql';

/** Whether clients may read the schema: by introspection, and by the names that errors suggest. */
export interface IntrospectionSetting {
  readonly INTROSPECTION: 'on' | 'off';
}

/** Root fields that return the schema; `_service` is that of a federation subgraph. */
const SCHEMA_FIELDS: ReadonlySet<string> = new Set(['__schema', '__type', '_service']);

/** Refuses documents that read the schema. `__typename` names only types that the document has found already. */
export const noIntrospectionRule: ValidationRule = (context) => ({
  Field(node) {
    if (!SCHEMA_FIELDS.has(node.name.value)) return;
    context.reportError(new GraphQLError('Introspection is off on this server (INTROSPECTION).', { nodes: node }));
  },
});

const SUGGESTION = / Did you mean .*\?$/s;

/** A message of graphql-js without the names of the schema that it suggests. */
export const withoutSuggestion = (message: string): string => message.replace(SUGGESTION, '');
