import { readFileSync } from 'node:fs';
import { generate } from '@graphql-codegen/cli';
import type { AnyDomain } from '../src/graphql/domain.ts';

/** `codegen.json` of a domain: the context of its resolvers, and the TypeScript type of each SDL type that is not generated. */
interface DomainCodegen {
  readonly contextType: string;
  readonly mappers: Readonly<Record<string, string>>;
}

const CONFIG = {
  importExtension: '.ts',
  config: {
    enumsAsTypes: true,
    federation: true,
    immutableTypes: true,
    inputMaybeValue: 'T | null | undefined',
    skipTypename: true,
    strictScalars: true,
    useTypeImports: true,
    scalars: {
      Address: 'string',
      BigInt: 'string',
      Bytes: 'string',
      Bytes32: 'string',
      DateTime: 'string',
      Decimal: 'string',
      Long: 'string',
      _FieldSet: 'string',
    },
  },
} as const;

const readCodegen = (name: string): DomainCodegen =>
  JSON.parse(readFileSync(new URL(`../src/domains/${name}/codegen.json`, import.meta.url), 'utf8')) as DomainCodegen;

/** Generates the resolver types of each domain from its SDL; writes no file. */
export async function generateTypes(domains: readonly AnyDomain[]): Promise<{ filename: string; content: string }[]> {
  const targets = domains.map(({ name, schema }) => [
    `src/generated/${name}.ts`,
    {
      schema: ['schema/common.graphql', `${schema}/*.graphql`],
      plugins: ['typescript', 'typescript-resolvers'],
      config: { ...readCodegen(name) },
    },
  ]);
  return generate({ ...CONFIG, silent: true, generates: Object.fromEntries(targets) }, false);
}
