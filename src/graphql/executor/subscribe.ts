import { type GraphQLResolveInfo, type GraphQLSchema, getArgumentValues, getVariableValues, locatedError } from 'graphql';
import { GraphError } from '../../lib/errors.ts';
import type { SourceStream } from '../stream.ts';
import { collectRootFields, fieldDefinitionOf, rootTypeOf } from './collect-fields.ts';
import { type ExecutionRequest, fragmentsOf } from './index.ts';

/**
 * Creates a function that calls `subscribe` of a subscription's root field and resolves with its source stream. The variables must be valid.
 * Rejects with a GraphQLError that has the path of the field.
 */
export function createSourceStreamResolver(schema: GraphQLSchema): (execution: ExecutionRequest) => Promise<SourceStream> {
  return async ({ document, operation, variables, variableValues, context }) => {
    const type = rootTypeOf(schema, operation!)!;
    const fragments = fragmentsOf(document);
    const coerced =
      variableValues ?? getVariableValues(schema, operation!.variableDefinitions ?? [], variables ?? {}).coerced ?? {};
    const fields = collectRootFields(type, { schema, operation: operation!, fragments, variableValues: coerced });
    const [[key, fieldNodes] = [undefined, []]] = fields;
    const definition = fieldNodes[0] && fieldDefinitionOf(schema, type, fieldNodes[0].name.value);
    const path = { prev: undefined, key: key ?? '', typename: type.name };
    try {
      if (!definition)
        throw new GraphError('BAD_USER_INPUT', '@skip or @include exclude the only field of the subscription. Select one field.');
      if (!definition.subscribe) throw new Error(`${type.name}.${definition.name} has no subscribe function`);
      const info: GraphQLResolveInfo = {
        fieldName: definition.name,
        fieldNodes,
        returnType: definition.type,
        parentType: type,
        path,
        schema,
        fragments,
        rootValue: undefined,
        operation: operation!,
        variableValues: coerced as Record<string, unknown>,
      };
      return (await definition.subscribe(
        undefined,
        getArgumentValues(definition, fieldNodes[0]!, coerced),
        context,
        info,
      )) as SourceStream;
    } catch (error) {
      throw locatedError(error, fieldNodes, key === undefined ? undefined : [key]);
    }
  };
}
