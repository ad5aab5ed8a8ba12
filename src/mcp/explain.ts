import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  printType,
} from 'graphql';
import { GraphError } from '../lib/errors.ts';
import { argumentsText, isRootField, ROOT_TYPES } from './search.ts';

const fieldsOf = (type: GraphQLNamedType): readonly GraphQLField<unknown, unknown>[] =>
  isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [];

/** Fields that return a type, the root fields first, and arguments and input fields of the type. */
function usesOf(schema: GraphQLSchema, name: string) {
  const returnedBy: string[] = [];
  const acceptedBy: string[] = [];
  for (const type of Object.values(schema.getTypeMap()).filter((one) => !one.name.startsWith('__'))) {
    if (isInputObjectType(type)) {
      for (const field of Object.values(type.getFields()))
        if (getNamedType(field.type).name === name) acceptedBy.push(`${type.name}.${field.name}`);
    }
    for (const field of fieldsOf(type)) {
      if (getNamedType(field.type).name === name) returnedBy.push(`${type.name}.${field.name}`);
      for (const argument of field.args)
        if (getNamedType(argument.type).name === name) acceptedBy.push(`${type.name}.${field.name}(${argument.name}:)`);
    }
  }
  return { returnedBy: returnedBy.sort((a, b) => Number(isRootField(b)) - Number(isRootField(a))), acceptedBy };
}

/**
 * Explains a type, or a field as `Type.field`: its definition with descriptions, where it is used, the types of an interface or a union, and the
 * definitions of the types that a field returns and takes. Throws BAD_USER_INPUT for a name that the schema does not have.
 */
export function explainType(schema: GraphQLSchema, name: string) {
  const [typeName = '', fieldName] = name.trim().split('.');
  const type = schema.getType(typeName);
  if (!type || typeName.startsWith('__'))
    throw new GraphError('BAD_USER_INPUT', `The schema has no type "${typeName}". Pass a name that search_schema returns.`);
  const isInputField = isInputObjectType(type) && Object.hasOwn(type.getFields(), fieldName ?? '');
  if (fieldName !== undefined && !isInputField) return explainField(type, fieldName);
  return {
    coordinate: typeName,
    // The root types have the fields of all domains: too long to print with each description.
    sdl: ROOT_TYPES.has(typeName) ? rootSignatures(type) : printType(type),
    ...usesOf(schema, typeName),
    possibleTypes: isAbstractType(type) ? schema.getPossibleTypes(type).map((one) => one.name) : [],
    related: undefined,
  };
}

const signatureOf = ({ name, args, type }: GraphQLField<unknown, unknown>): string => `${name}${argumentsText(args)}: ${type}`;

const rootSignatures = (type: GraphQLNamedType): string =>
  `type ${type.name} {\n${fieldsOf(type)
    .map((field) => `  ${signatureOf(field)}`)
    .join('\n')}\n}`;

function explainField(type: GraphQLNamedType, fieldName: string) {
  const field = fieldsOf(type).find(({ name }) => name === fieldName);
  if (!field)
    throw new GraphError(
      'BAD_USER_INPUT',
      `The type "${type.name}" has no field "${fieldName}". Pass a coordinate that search_schema returns.`,
    );
  const lines = [
    ...(field.description ? [`"""${field.description}"""`] : []),
    signatureOf(field),
    ...field.args.map((arg) => `  # ${arg.name}: ${arg.description ?? ''}`),
  ];
  const related = new Set([field.type, ...field.args.map((arg) => arg.type)].map((one): GraphQLNamedType => getNamedType(one)));
  return {
    coordinate: `${type.name}.${fieldName}`,
    sdl: lines.join('\n'),
    returnedBy: [],
    acceptedBy: [],
    possibleTypes: [],
    related: [...related].map((one) => printType(one)),
  };
}
