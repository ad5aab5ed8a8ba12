import {
  type GraphQLField,
  type GraphQLNamedType,
  GraphQLObjectType,
  type GraphQLSchema,
  type GraphQLType,
  getNamedType,
  isAbstractType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  printType,
} from 'graphql';
import { GraphError } from '../lib/errors.ts';
import { argumentsText, isRootField, membersOf, suggestion } from './search.ts';

const fieldsOf = (type: GraphQLNamedType): readonly GraphQLField<unknown, unknown>[] =>
  isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [];

/** Fields that return a type, the root fields first, and arguments and input fields of the type. */
function usesOf(schema: GraphQLSchema, name: string) {
  const types = Object.values(schema.getTypeMap()).filter((one) => !one.name.startsWith('__'));
  const isOfType = ({ type }: { readonly type: GraphQLType }): boolean => getNamedType(type).name === name;
  const uses = types.flatMap((type) => fieldsOf(type).map((field) => ({ ...field, path: `${type.name}.${field.name}` })));
  const inputs = types.filter(isInputObjectType).flatMap((type) =>
    Object.values(type.getFields())
      .filter(isOfType)
      .map((field) => `${type.name}.${field.name}`),
  );
  const returnedBy = uses.filter(isOfType).map(({ path }) => path);
  const args = uses.flatMap(({ path, args }) => args.filter(isOfType).map((arg) => `${path}(${arg.name}:)`));
  return {
    returnedBy: returnedBy.sort((a, b) => Number(isRootField(b)) - Number(isRootField(a))),
    acceptedBy: [...inputs, ...args],
  };
}

/**
 * Explains a type, or a field as `Type.field`: its definition with descriptions, where it is used, the types of an interface or a union, and the
 * definitions of the types that a field returns and takes. Throws BAD_USER_INPUT for a name that the schema does not have.
 */
export function explainType(schema: GraphQLSchema, name: string) {
  const [typeName = '', fieldName] = name.trim().split('.');
  const type = schema.getType(typeName);
  if (!type || typeName.startsWith('__'))
    throw new GraphError('BAD_USER_INPUT', `The schema has no type "${typeName}".${suggestion(schema, typeName)}`);
  // The definition of an input type or an enum has the field or the value with its description.
  const isInDefinition = fieldsOf(type).length === 0 && membersOf(type).some((member) => member.name === fieldName);
  if (fieldName !== undefined && !isInDefinition) return explainField(schema, type, fieldName);
  return {
    coordinate: typeName,
    // The root types are too long to print with each description, because they have the fields of all domains.
    sdl: isRootField(`${typeName}.`) ? rootSignatures(type) : printType(type),
    ...usesOf(schema, typeName),
    possibleTypes: isAbstractType(type) ? schema.getPossibleTypes(type).map((one) => one.name) : [],
  };
}

const rootSignatures = (type: GraphQLNamedType): string => {
  const signatures = fieldsOf(type).map((field) => `  ${field.name}${argumentsText(field.args)}: ${field.type}`);
  return [`type ${type.name} {`, ...signatures, '}'].join('\n');
};

function explainField(schema: GraphQLSchema, type: GraphQLNamedType, fieldName: string) {
  const field = isObjectType(type) || isInterfaceType(type) ? type.toConfig().fields[fieldName] : undefined;
  if (!field) {
    const message = `The type "${type.name}" has no field "${fieldName}".${suggestion(schema, fieldName, type.name)}`;
    throw new GraphError('BAD_USER_INPUT', message);
  }
  const types = [field, ...Object.values(field.args ?? {})].map((one) => getNamedType(one.type));
  return {
    coordinate: `${type.name}.${fieldName}`,
    sdl: printType(new GraphQLObjectType({ name: type.name, fields: { [fieldName]: field } })),
    related: [...new Set(types)].map(printType),
  };
}
