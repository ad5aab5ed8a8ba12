import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  KnownArgumentNamesRule,
  OverlappingFieldsCanBeMergedRule,
  specifiedRules,
  type ValidationContext,
  type ValidationRule,
  ValuesOfCorrectTypeRule,
  validate,
} from 'graphql';
import { GraphError } from '../../lib/errors.ts';
import { type DocumentLimits, documentLimitError, INTROSPECTION_FIELDS } from './document-limits.ts';
import { fieldMergingRule } from './field-merging.ts';

/** Maximum number of arguments of a field, or values of an enum, that an error lists. */
const MAX_LISTED_NAMES = 8;

/** Names the argument of an invalid literal, and lists the arguments of a field, or the values of an enum, after an unknown one without a suggestion. */
function messageOf(message: string, context: ValidationContext): string {
  const argument = context.getArgument();
  const type = argument && getNamedType(context.getInputType());
  const accepted = isEnumType(type) ? type.getValues() : argument || context.getDirective() ? [] : context.getFieldDef()?.args;
  const names = (accepted ?? []).map(({ name }) => name);
  const isHelpful = names.length > 0 && names.length <= MAX_LISTED_NAMES && !message.endsWith('?');
  return `${argument ? `Argument "${argument.name}": ` : ''}${message}${isHelpful ? ` Accepted: ${names.join(', ')}.` : ''}`;
}

const namingArguments =
  (rule: ValidationRule): ValidationRule =>
  (context) => {
    const value = ({ message, nodes }: GraphQLError) =>
      context.reportError(new GraphQLError(messageOf(message, context), { nodes: nodes ?? null }));
    return rule(Object.create(context, { reportError: { value } }));
  };

const rules: readonly ValidationRule[] = specifiedRules
  .filter((rule) => rule !== OverlappingFieldsCanBeMergedRule)
  .map((rule) => (rule === ValuesOfCorrectTypeRule || rule === KnownArgumentNamesRule ? namingArguments(rule) : rule));

/** Fragments and their variables that graphql-js follows, summed over all operations; then it stops without a reason. */
const MAX_USES = 50_000;
const TOO_MANY_USES = `The operations have more than ${MAX_USES} uses of fragments and of their variables. Send fewer operations in a document.`;

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
  if (errors.at(-1)?.message === 'Validation aborted.')
    throw new GraphError('QUERY_TOO_COMPLEX', TOO_MANY_USES, { limit: MAX_USES });
  return errors.length > 0 ? errors : validate(schema, document, [fieldMergingRule], { maxErrors });
}

/** Rejects documents that read the schema. `__typename` is allowed: it reveals only types of the document's own fields. */
const noIntrospectionRule: ValidationRule = (context) => ({
  Field(node) {
    if (!INTROSPECTION_FIELDS.has(node.name.value)) return;
    context.reportError(new GraphQLError('Introspection is off on this server (INTROSPECTION).', { nodes: node }));
  },
});
