import { readFileSync } from 'node:fs';
import { type GraphQLField, type GraphQLInputField, type GraphQLSchema, isInputObjectType, isObjectType } from 'graphql';

/** The types of each element of the standard node schema, by coordinate. */
const STANDARD: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(new URL('../schema/standard.json', import.meta.url), 'utf8'),
);

type Field = GraphQLField<unknown, unknown> | GraphQLInputField;

/** The first sentence of a description, in one line of a table. */
const summaryOf = ({ description }: { readonly description?: string | null | undefined }): string =>
  (description ?? '')
    .replace(/\s+/g, ' ')
    .replace(/(?<=\w{3}[)`]?\.) .*/, '')
    .replaceAll('|', '\\|');

const fieldsOf = (schema: GraphQLSchema, name: string): readonly Field[] => {
  const type = schema.getType(name);
  return isObjectType(type) || isInputObjectType(type) ? Object.values<Field>(type.getFields()) : [];
};

const row = (name: string, type: unknown, described: { readonly description?: string | null | undefined }): string =>
  `| \`${name}\` | \`${type}\` | ${summaryOf(described)} |`;

/** The rows of a type of the standard: the fields that it adds, and the arguments that it adds to a field of the standard. */
function rowsOf(schema: GraphQLSchema, type: string): readonly string[] {
  return fieldsOf(schema, type).flatMap((field) => {
    if (field.name.startsWith('_')) return [];
    const coordinate = `${type}.${field.name}`;
    if (!(coordinate in STANDARD)) return [row(field.name, field.type, field)];
    const args = 'args' in field ? field.args : [];
    return args
      .filter(({ name }) => !(`${coordinate}(${name}:)` in STANDARD))
      .map((argument) => row(`${field.name}(${argument.name}:)`, argument.type, argument));
  });
}

/** Prints what the graph adds to the standard node schema: the fields and arguments of its types, and the other types. */
export function printStandardDifferences(schema: GraphQLSchema): string {
  const standardTypes = Object.keys(STANDARD).filter((coordinate) => /^\w+$/.test(coordinate));
  const sections = standardTypes.flatMap((type) => {
    const rows = rowsOf(schema, type);
    return rows.length === 0 ? [] : [`## ${type}\n\n| added | type | content |\n| --- | --- | --- |\n${rows.join('\n')}\n`];
  });
  const added = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('_') && !standardTypes.includes(name));
  const types = added
    .filter((type) => type.description && !/^(?:Int|Float|String|Boolean|ID)$/.test(type.name))
    .sort((a, b) => a.name.localeCompare(b.name))
    .map((type) => `| \`${type.name}\` | ${summaryOf(type)} |`);
  return `${sections.join('\n')}\n## Further types\n\n| type | content |\n| --- | --- |\n${types.join('\n')}`;
}
