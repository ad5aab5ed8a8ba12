import { readdirSync, readFileSync } from 'node:fs';
import {
  buildASTSchema,
  type DocumentNode,
  type FieldDefinitionNode,
  type GraphQLSchema,
  Kind,
  parse,
  specifiedDirectives,
  visit,
} from 'graphql';
import type { AnyDomain } from '../domain.ts';

const PACKAGE_ROOT = new URL('../../../', import.meta.url);

const readText = (path: string): string => readFileSync(new URL(path, PACKAGE_ROOT), 'utf8');

/** What the SDL of every domain begins with: the scalars, and what is said of the graph as a whole. */
export const commonSdl = (): string => readText('schema/common.graphql');

/** A domain's own SDL, all files together. */
export const domainSdl = ({ schema }: AnyDomain): string =>
  readdirSync(new URL(`${schema}/`, PACKAGE_ROOT))
    .filter((file) => file.endsWith('.graphql'))
    .sort()
    .map((file) => readText(`${schema}/${file}`))
    .join('\n');

/** A domain by itself as its SDL has it, federation's directives and all; it runs nothing. */
export function domainSchema(domain: AnyDomain): GraphQLSchema {
  const { definitions, ...document } = parse(`${commonSdl()}\n${domainSdl(domain)}`);
  // What the schema as a whole is made of, a domain alone may lack; its root types have their usual names.
  const types = definitions.filter(({ kind }) => kind !== Kind.SCHEMA_DEFINITION && kind !== Kind.SCHEMA_EXTENSION);
  // Federation's directives are declared by the link that a subgraph begins with, and by nothing else.
  return buildASTSchema({ ...document, definitions: types }, { assumeValidSDL: true });
}

/** Whether a field is for routers alone. */
export const isInaccessible = ({ directives }: FieldDefinitionNode): boolean =>
  !!directives?.some(({ name }) => name.value === 'inaccessible');

const BUILT_IN_DIRECTIVES: ReadonlySet<string> = new Set(specifiedDirectives.map(({ name }) => name));

/** SDL without federation's directives, with some of its fields; a type that has none of them left is left out. */
export const stripFederationDirectives = (
  sdl: string,
  isKept: (type: string, field: string) => boolean = () => true,
): DocumentNode =>
  visit(parse(sdl), {
    Directive: ({ name }) => (BUILT_IN_DIRECTIVES.has(name.value) ? undefined : null),
    ObjectTypeDefinition: {
      enter(node) {
        const fields = node.fields?.filter((field) => isKept(node.name.value, field.name.value)) ?? [];
        return fields.length === 0 ? null : { ...node, fields };
      },
    },
  });
