import { readdirSync, readFileSync } from 'node:fs';
import {
  buildASTSchema,
  type ConstDirectiveNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type GraphQLSchema,
  Kind,
  parse,
  type ScalarTypeDefinitionNode,
  specifiedDirectives,
  visit,
} from 'graphql';
import { memoizePerObject } from '../../lib/memoize.ts';
import { PACKAGE_ROOT } from '../../lib/package-root.ts';
import type { FieldWeights } from '../cost/field-cost.ts';

/** The part of a domain that the schema is composed from. */
export interface AnyDomain {
  /** Also the key of the domain's loaders in the context of an operation. */
  readonly name: string;
  /** Folder of SDL files, relative to the package root. */
  readonly schema: string;
  /** Each domain's resolvers are typed against its own SDL and context. */
  readonly resolvers: object;
  /** Costs by field, for MAX_COST and for routers. */
  readonly weights: FieldWeights;
}

const readText = (path: string): string => readFileSync(new URL(path, PACKAGE_ROOT), 'utf8');

/** The SDL that all domains share: the scalars and the description of the schema. */
export const commonSdl = (): string => readText('schema/common.graphql');

/** The SDL of the single graph alone: the directive of live queries, which routers cannot plan. */
export const liveSdl = (): string => readText('schema/live.graphql');

/** The SDL of the chains, without the fields of `Chain`. */
export const chainsSdl = (): string => readText('schema/chains.graphql');

/** A domain's own SDL, all files joined. */
export const domainSdl = ({ schema }: AnyDomain): string =>
  readdirSync(new URL(`${schema}/`, PACKAGE_ROOT))
    .filter((file) => file.endsWith('.graphql'))
    .sort()
    .map((file) => readText(`${schema}/${file}`))
    .join('\n');

/** Builds the schema of one domain from its SDL, federation directives included. It is not executable. */
export const domainSchema = memoizePerObject((domain: AnyDomain) => sdlSchema(parse(`${commonSdl()}\n${domainSdl(domain)}`)));

/** Builds the schema of SDL with federation directives. It is not executable. */
export function sdlSchema({ definitions, ...document }: DocumentNode): GraphQLSchema {
  // A domain may lack a root type that the schema definition names. Root types with default names need no schema
  // definition.
  const types = definitions.filter(({ kind }) => kind !== Kind.SCHEMA_DEFINITION && kind !== Kind.SCHEMA_EXTENSION);
  // The SDL does not declare the federation directives: only the `@link` of a subgraph imports them.
  return buildASTSchema({ ...document, definitions: types }, { assumeValidSDL: true });
}

/** Whether a definition has a directive. */
export const hasDirective = (definition: Annotated | null | undefined, directive: string): boolean =>
  !!definition?.directives?.some(({ name }) => name.value === directive);

/** Whether a field is visible only to routers. */
export const isInaccessible = (field: FieldDefinitionNode): boolean => hasDirective(field, 'inaccessible');

/** Directives that every schema has. */
export const BUILT_IN_DIRECTIVES: ReadonlySet<string> = new Set(specifiedDirectives.map(({ name }) => name));

export type FieldFilter = (type: string, field: FieldDefinitionNode) => boolean;

/** Removes federation directives, fields that the filter excludes, and types without remaining fields. */
export const stripFederationDirectives = (sdl: DocumentNode, includesField: FieldFilter = () => true): DocumentNode =>
  visit(sdl, {
    Directive: ({ name }) => (BUILT_IN_DIRECTIVES.has(name.value) ? undefined : null),
    ObjectTypeDefinition: {
      enter(node) {
        const fields = node.fields?.filter((field) => includesField(node.name.value, field)) ?? [];
        return fields.length === 0 ? null : { ...node, fields };
      },
    },
  });

/** A definition that directives can be added to. */
export type Annotated = { readonly directives?: readonly ConstDirectiveNode[] | undefined };

/** Adds a directive to a definition. The values of its arguments have an equal form in JSON and in SDL. */
export function withDirective<Node extends Annotated>(node: Node, name: string, args: Readonly<Record<string, unknown>>): Node {
  const values = Object.entries(args).map(([argument, value]) => `${argument}: ${JSON.stringify(value)}`);
  const [definition] = parse(`scalar Any @${name}(${values.join()})`, { noLocation: true }).definitions;
  const { directives = [] } = definition as ScalarTypeDefinitionNode;
  return { ...node, directives: [...(node.directives ?? []), ...directives] };
}
