/**
 * Compiles the embedded chain's contracts into `devnet/contracts/artifacts`, which are committed: running the chain
 * needs no compiler. `tsx devnet/contracts/compile.ts` writes the files; with `--check` the command only reports the
 * files that differ.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import solc from 'solc';

/** Each contract that has an artifact, and the source file of the contract. */
const CONTRACTS = {
  Token: 'tokens.sol',
  Bytes32Token: 'tokens.sol',
  BareToken: 'tokens.sol',
  Multicall3: 'multicall3.sol',
  Tournament: 'tournament.sol',
} as const;
type ContractName = keyof typeof CONTRACTS;

interface CompilerOutput {
  readonly errors?: readonly { severity: string; formattedMessage: string }[];
  readonly contracts: Record<string, Record<string, { abi: unknown; evm: { bytecode: { object: string } } }>>;
}

/** The path of the committed artifact of a contract. */
export const artifactUrl = (contractName: string): URL => new URL(`artifacts/${contractName}.json`, import.meta.url);

/** The expected artifact files: contract name to JSON text. Equal sources and compilers always give equal text. */
export function compileAll(): Map<string, string> {
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(Object.values(CONTRACTS).map((file) => [file, { content: readSource(file) }])),
    settings: {
      optimizer: { enabled: true, runs: 200 },
      evmVersion: 'paris',
      // Without the hash of the metadata the bytecode does not depend on comments.
      metadata: { bytecodeHash: 'none' },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  };
  const output: CompilerOutput = JSON.parse(solc.compile(JSON.stringify(input)));
  const problems = output.errors?.map((problem) => problem.formattedMessage) ?? [];
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const names = Object.keys(CONTRACTS) as ContractName[];
  return new Map(names.map((contractName) => [contractName, artifactText(contractName, output)]));
}

const readSource = (file: string): string => readFileSync(new URL(file, import.meta.url), 'utf8');

function artifactText(contractName: ContractName, output: CompilerOutput): string {
  const { abi, evm } = output.contracts[CONTRACTS[contractName]]![contractName]!;
  const artifact = {
    contractName,
    compiler: solc.version(),
    abi,
    bytecode: `0x${evm.bytecode.object}`,
  };
  return `${JSON.stringify(artifact, null, 2)}\n`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const [contractName, text] of compileAll()) {
    if (!process.argv.includes('--check')) writeFileSync(artifactUrl(contractName), text);
    else if (readFileSync(artifactUrl(contractName), 'utf8') !== text) {
      process.stderr.write(`devnet/contracts/artifacts/${contractName}.json differs: run tsx devnet/contracts/compile.ts\n`);
      process.exitCode = 1;
    }
  }
}
