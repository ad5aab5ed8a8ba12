import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  OverlappingFieldsCanBeMergedRule,
  specifiedRules,
  type ValidationRule,
  validate,
} from 'graphql';
import { type DocumentLimits, documentLimitError, INTROSPECTION_FIELDS } from './document-limits.ts';
import { fieldMergingRule } from './field-merging.ts';

const rules: readonly ValidationRule[] = specifiedRules.filter((rule) => rule !== OverlappingFieldsCanBeMergedRule);

/** Limits of a document, and whether clients may read the schema, by introspection and by the suggestions in errors. */
export interface DocumentSettings extends DocumentLimits {
  readonly INTROSPECTION?: 'on' | 'off';
}

/**
 * Validates a document by the rules of the specification, and of the setting INTROSPECTION. Throws QUERY_TOO_COMPLEX for a document beyond a limit,
 * because the work of the rules can grow faster than the document. Returns at most `maxErrors` errors, then one that validation has stopped.
 */
export function validateDocument(schema: GraphQLSchema, document: DocumentNode, limits: DocumentSettings, maxErrors: number) {
  const excess = documentLimitError(document, limits);
  if (excess) throw excess;
  const extraRules = limits.INTROSPECTION === 'off' ? [noIntrospectionRule] : [];
  const errors = validate(schema, document, [...rules, ...extraRules], { maxErrors });
  return errors.length > 0 ? errors : validate(schema, document, [fieldMergingRule], { maxErrors });
}

/** Rejects documents that read the schema. `__typename` is allowed: it reveals only types of the document's own fields. */
const noIntrospectionRule: ValidationRule = (context) => ({
  Field(node) {
    if (!INTROSPECTION_FIELDS.has(node.name.value)) return;
    context.reportError(new GraphQLError('Introspection is off on this server (INTROSPECTION).', { nodes: node }));
  },
});
