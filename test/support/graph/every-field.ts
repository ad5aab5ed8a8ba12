import { type GraphQLField, type GraphQLObjectType, getNamedType, isAbstractType, isObjectType } from 'graphql';

/** Options of `selectEveryField`. */
interface EveryFieldOptions {
  /** GraphQL text of an argument's value; arguments without one are left out. */
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
    if (isAbstractType(of) || (isObjectType(of) && depth === 0)) return [];
    const given = field.args.flatMap(({ name }) => {
      const value = options.valueFor(field.name, name);
      return value === undefined ? [] : [`${name}: ${value}`];
    });
    const called = given.length > 0 ? `${field.name}(${given.join()})` : field.name;
    return [isObjectType(of) ? `${called} ${selectEveryField(of, depth - 1, options, [...path, field.name])}` : called];
  });
  return `{ ${fields.length > 0 ? fields.join(' ') : '__typename'} }`;
}
