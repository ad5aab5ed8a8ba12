import { type GraphQLArgument, type GraphQLSchema, isEnumType, isInputObjectType, isInterfaceType, isObjectType } from 'graphql';

/** An element of a schema. */
export interface SchemaElement {
  /** `Type`, `Type.field`, or `Enum.VALUE`. */
  readonly coordinate: string;
  /** As in SDL: `Query.block(number: Long, hash: Bytes32, tag: BlockTag): Block`. */
  readonly signature: string;
  readonly description: string;
}

const argumentText = ({ name, type }: GraphQLArgument): string => `${name}: ${type}`;
const argumentsText = (args: readonly GraphQLArgument[]): string =>
  args.length === 0 ? '' : `(${args.map(argumentText).join(', ')})`;
const argumentDescriptions = (args: readonly GraphQLArgument[]): string =>
  args.map(({ name, description }) => `${name}: ${description ?? ''}`).join(' ');

/** Lists the types, fields and enum values of a schema, without those of introspection. */
export function schemaElements(schema: GraphQLSchema): readonly (SchemaElement & { readonly argumentText: string })[] {
  return Object.values(schema.getTypeMap())
    .filter(({ name }) => !name.startsWith('__'))
    .flatMap((type) => {
      const element = (coordinate: string, signature: string, description: string | null | undefined, argumentText = '') => ({
        coordinate,
        signature,
        description: description ?? '',
        argumentText,
      });
      const members =
        isObjectType(type) || isInterfaceType(type)
          ? Object.values(type.getFields()).map((field) =>
              element(
                `${type.name}.${field.name}`,
                `${type.name}.${field.name}${argumentsText(field.args)}: ${field.type}`,
                field.description,
                argumentDescriptions(field.args),
              ),
            )
          : isInputObjectType(type)
            ? Object.values(type.getFields()).map((field) =>
                element(`${type.name}.${field.name}`, `${type.name}.${field.name}: ${field.type}`, field.description),
              )
            : isEnumType(type)
              ? type
                  .getValues()
                  .map(({ name, description }) => element(`${type.name}.${name}`, `${type.name}.${name}`, description))
              : [];
      return [element(type.name, `${kindOf(type)} ${type.name}`, type.description), ...members];
    });
}

const kindOf = (type: object): string =>
  isObjectType(type)
    ? 'type'
    : isInterfaceType(type)
      ? 'interface'
      : isInputObjectType(type)
        ? 'input'
        : isEnumType(type)
          ? 'enum'
          : 'scalar';
