import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isObjectType,
} from 'graphql';
import { collectSubfields, fieldDefinitionOf, fragmentsOf } from '../graphql/selection.ts';
import type { PreparedOperation } from './request.ts';
import type { FieldEvidence, TrustRecord } from './trust.ts';

/** The levels of a response. CONSISTENT: checks prove every value of it against the headers of its blocks. */
export const TRUST_LEVELS = ['CONSISTENT', 'REPORTED'] as const;

/** `extensions.trust` of a response. */
export interface TrustReport {
  readonly level: (typeof TRUST_LEVELS)[number];
  /** The fields of headers that data was compared with. */
  readonly checks: readonly string[];
  /** Paths in the response, without the indexes of lists, of the values that nothing proves; each stands for all values below it. */
  readonly reported: readonly string[];
}

/** Returns the trust report of an executed operation. */
export function trustReport(
  schema: GraphQLSchema,
  { document, operation, variableValues }: Pick<PreparedOperation, 'document' | 'operation' | 'variableValues'>,
  evidence: FieldEvidence,
  record: TrustRecord,
): TrustReport {
  const context = { schema, fragments: fragmentsOf(document) as Record<string, FragmentDefinitionNode>, variableValues };
  const reported = new Set<string>();

  const isProven = (type: GraphQLObjectType, name: string): boolean => {
    if (name.startsWith('__')) return true;
    const needed = evidence[`${type.name}.${name}`] ?? evidence[`${type.name}.*`];
    return needed?.every((one) => record.isProven(one)) ?? false;
  };

  const visit = (type: GraphQLObjectType, parents: readonly Pick<FieldNode, 'selectionSet'>[], path: string): void => {
    let fields: ReturnType<typeof collectSubfields>;
    try {
      fields = collectSubfields(type, parents, context);
    } catch {
      // A null in a condition, which has failed the field at this path.
      if (path !== '') reported.add(path);
      return;
    }
    for (const [key, nodes] of fields) {
      const fieldPath = path === '' ? key : `${path}.${key}`;
      const name = nodes[0]!.name.value;
      if (record.isUnchecked || !isProven(type, name)) {
        reported.add(fieldPath);
        continue;
      }
      const target = getNamedType(fieldDefinitionOf(type, name)!.type);
      const types = isAbstractType(target) ? schema.getPossibleTypes(target) : [target];
      // Introspection states facts of this server.
      if (name.startsWith('__')) continue;
      for (const one of types) if (isObjectType(one)) visit(one, nodes, fieldPath);
    }
  };

  const root = schema.getRootType(operation.operation);
  if (root) visit(root, [operation], '');
  return { level: reported.size === 0 ? 'CONSISTENT' : 'REPORTED', checks: [...record.checks], reported: [...reported] };
}
