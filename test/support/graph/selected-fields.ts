import { type GraphQLSchema, parse, TypeInfo, visit, visitWithTypeInfo } from 'graphql';

/** The fields that documents select, by coordinate; an unknown field is left out. */
export function selectedFields(schema: GraphQLSchema, documents: Iterable<string>): ReadonlySet<string> {
  const selected = new Set<string>();
  for (const document of documents) {
    const types = new TypeInfo(schema);
    const enter = () => {
      const [parent, field] = [types.getParentType(), types.getFieldDef()];
      if (parent && field) selected.add(`${parent.name}.${field.name}`);
    };
    visit(parse(document), visitWithTypeInfo(types, { Field: { enter } }));
  }
  return selected;
}
