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
import { argumentsText, ROOT_TYPES } from './search.ts';

/** What the schema states about a type or a field. */
export interface TypeExplanation {
  readonly coordinate: string;
  /** The definition with its descriptions, of the field's owner without its other fields. */
  readonly sdl: string;
  /** Fields that return the type, as `Type.field`; the root fields first. */
  readonly returnedBy: readonly string[];
  /** Arguments and input fields of this type. */
  readonly acceptedBy: readonly string[];
  /** Types of an interface or a union. */
  readonly possibleTypes: readonly string[];
  /** Definitions of the types that a field returns and takes. */
  readonly related?: readonly string[];
}

const fieldsOf = (type: GraphQLNamedType): readonly GraphQLField<unknown, unknown>[] =>
  isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [];

const isRootField = (coordinate: string): boolean => ROOT_TYPES.has(coordinate.split('.')[0]!);

function usesOf(schema: GraphQLSchema, name: string): Pick<TypeExplanation, 'returnedBy' | 'acceptedBy'> {
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

/** Explains a type, or a field as `Type.field`. Throws BAD_USER_INPUT for a name that the schema does not have. */
export function explainType(schema: GraphQLSchema, name: string): TypeExplanation {
  const [typeName = '', fieldName] = name.trim().split('.');
  const type = schema.getType(typeName);
  if (!type || typeName.startsWith('__'))
    throw new GraphError('BAD_USER_INPUT', `The schema has no type "${typeName}". Pass a name that search_schema returns.`);
  if (fieldName !== undefined) return explainField(schema, type, fieldName);
  return {
    coordinate: typeName,
    // The root types have the fields of all domains: too long to print with each description.
    sdl: ROOT_TYPES.has(typeName) ? rootSignatures(type) : printType(type),
    ...usesOf(schema, typeName),
    possibleTypes: isAbstractType(type) ? schema.getPossibleTypes(type).map((one) => one.name) : [],
  };
}

const signatureOf = ({ name, args, type }: GraphQLField<unknown, unknown>): string => `${name}${argumentsText(args)}: ${type}`;

const rootSignatures = (type: GraphQLNamedType): string =>
  `type ${type.name} {\n${fieldsOf(type)
    .map((field) => `  ${signatureOf(field)}`)
    .join('\n')}\n}`;

function explainField(schema: GraphQLSchema, type: GraphQLNamedType, fieldName: string): TypeExplanation {
  if (isInputObjectType(type) && type.getFields()[fieldName]) return explainType(schema, type.name);
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
