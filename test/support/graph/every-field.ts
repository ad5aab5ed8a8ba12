import {
  type GraphQLField,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  getNamedType,
  isInterfaceType,
  isObjectType,
  isUnionType,
} from 'graphql';

/** Options of `selectEveryField`. Without `implementations`, the object types of an interface, it leaves out interfaces. */
interface EveryFieldOptions {
  readonly implementations?: (type: GraphQLInterfaceType) => readonly GraphQLObjectType[];
  /** GraphQL text of an argument's value; arguments without a value are left out. */
  readonly valueFor: (field: string, arg: string) => string | undefined;
  /** Whether a field is left out; `path` are the names of the fields above it. */
  readonly skip: (field: GraphQLField<unknown, unknown>, path: readonly string[]) => boolean;
}

/** Returns a selection of every field of a type, `depth` object levels deep. */
export function selectEveryField(
  type: GraphQLObjectType,
  depth: number,
  options: EveryFieldOptions,
  path: readonly string[] = [],
): string {
  const fields = Object.values(type.getFields()).flatMap((field) => {
    if (options.skip(field, path)) return [];
    const of = getNamedType(field.type);
    if (isUnionType(of) || (isNested(of) && depth === 0)) return [];
    if (isInterfaceType(of) && !options.implementations) return [];
    const given = field.args.flatMap(({ name }) => {
      const value = options.valueFor(field.name, name);
      return value === undefined ? [] : [`${name}: ${value}`];
    });
    const called = given.length > 0 ? `${field.name}(${given.join()})` : field.name;
    return [isNested(of) ? `${called} ${selectNested(of, depth - 1, options, [...path, field.name])}` : called];
  });
  return `{ ${fields.length > 0 ? fields.join(' ') : '__typename'} }`;
}

const isNested = (type: GraphQLNamedType): type is GraphQLObjectType | GraphQLInterfaceType =>
  isObjectType(type) || isInterfaceType(type);

function selectNested(
  type: GraphQLObjectType | GraphQLInterfaceType,
  depth: number,
  options: EveryFieldOptions,
  path: readonly string[],
): string {
  if (isObjectType(type)) return selectEveryField(type, depth, options, path);
  const fragments = options.implementations!(type).map(
    (implementation) => `... on ${implementation.name} ${selectEveryField(implementation, depth, options, path)}`,
  );
  return `{ ${fragments.join(' ')} }`;
}
