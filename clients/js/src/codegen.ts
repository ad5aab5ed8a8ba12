const HEX = `\`0x\${string}\``;

/** Types of the custom scalars for GraphQL Code Generator (`config.scalars`): hex is `0x${string}`, which viem and ethers take. */
export const scalars = {
  // A list for an array or a tuple; the members of a nested list are not checked by TypeScript.
  AbiValue: 'string | number | boolean | readonly unknown[]',
  Address: HEX,
  BigInt: { input: 'string | number', output: HEX },
  Bytes: HEX,
  Bytes32: HEX,
  ChainId: { input: 'string | number', output: HEX },
  DateTime: 'string',
  Decimal: { input: 'string | number', output: 'string' },
  Long: { input: 'string | number', output: HEX },
} as const;

/** `config` for any plug-in of GraphQL Code Generator: types for every scalar, and an error for one that is unknown. */
export const config = { scalars, strictScalars: true, useTypeImports: true, enumsAsTypes: true } as const;

export interface CodegenOptions {
  /** URL of the graph, or a file with its printed schema. */
  readonly schema: string;
  /** Files with operations. */
  readonly documents: string | readonly string[];
  /** Folder that the client preset writes; ends with a slash. `./src/graph/` by default. */
  readonly output?: string;
}

/** Creates a configuration of GraphQL Code Generator with the preset `client`: `export default defineCodegen({ schema, documents })` in codegen.ts. */
export const defineCodegen = ({ schema, documents, output = './src/graph/' }: CodegenOptions) => ({
  schema,
  documents: typeof documents === 'string' ? [documents] : [...documents],
  ignoreNoDocuments: true,
  generates: { [output]: { preset: 'client', config: { ...config } } },
});
