import { z } from 'zod';
import { type Quantity, toQuantity } from '../ethereum/hex.ts';
import { GraphError } from '../lib/errors.ts';
import { locationOf, readJsonFile } from '../lib/json-file.ts';
import { camelCase, type SettingDefinitions, secretValues } from './settings.ts';

/** A chain that the server serves beside the default chain. */
export interface ConfiguredChain {
  readonly id: Quantity;
  readonly name: string;
  /** The values of the settings that each chain has by itself, by the names of the settings. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** The settings of the core that each chain has by itself; domains mark their own (`isPerChain`). */
const CORE_SETTINGS: ReadonlySet<string> = new Set(['RPC_URL', 'RPC_WS_URL', 'TOKEN_LISTS', 'ABI_DIR', 'HEADER_CHECKS']);

const ownSettings = (definitions: SettingDefinitions) =>
  Object.entries(definitions).filter(([name, { isPerChain }]) => isPerChain || CORE_SETTINGS.has(name));

/** The settings that each chain has by itself, unset: those of an embedded chain, whose description takes their place. */
export const unsetChainSettings = (definitions: SettingDefinitions): ConfiguredChain['values'] =>
  Object.fromEntries(ownSettings(definitions).map(([name, { schema }]) => [name, schema.parse(undefined)]));

const chainsFileError = (path: string, problem: string, cause?: unknown) =>
  new GraphError('BAD_USER_INPUT', `The file "${path}" of CHAINS ${problem}.`, { cause });

/** Throws if the file names the chain of the default node. */
export function checkDefaultChain(path: string | undefined, chains: readonly ConfiguredChain[], id: Quantity | undefined): void {
  if (chains.some((chain) => chain.id === id)) throw chainsFileError(path!, `has the id ${Number(id)} of the default chain`);
}

const chainId = z
  .unknown()
  .transform((value) => toQuantity(value, 64))
  .refine((id) => id !== undefined && id !== '0x0', 'is not a chain id: pass an integer from 1, in decimal or 0x-hex')
  .transform((id) => id as Quantity);

/**
 * Reads the file of CHAINS synchronously: a list of objects with the id and the name of a chain, and with the settings that each chain has by itself, whose keys are
 * their names in camel case, as `rpcUrl`. Throws BAD_USER_INPUT with the file and the path of the first invalid value, also for an id that it
 * has twice, and for an id of an embedded chain. Empty without a file.
 */
export function readChainsFile(
  path: string | undefined,
  definitions: SettingDefinitions,
  embeddedIds: readonly Quantity[] = [],
): readonly ConfiguredChain[] {
  if (path === undefined) return [];
  const own = ownSettings(definitions);
  const settings = Object.fromEntries(own.map(([name, { schema }]) => [camelCase(name), schema]));
  const entry = z
    .strictObject({ ...settings, id: chainId, name: z.string() })
    .refine((chain) => (chain as { rpcUrl?: unknown }).rpcUrl !== undefined, { path: ['rpcUrl'], error: 'is missing' });
  const { data, error } = z
    .array(entry, 'is not a list')
    .safeParse(readJsonFile(path, (...args) => chainsFileError(path, ...args)));
  if (error) {
    const [{ path: at, message }] = error.issues as [z.core.$ZodIssue];
    throw chainsFileError(path, at.length === 0 ? message : `is invalid: ${locationOf(at)} ${message}`);
  }
  const ids = new Set<Quantity>();
  return data.map(({ id, name, ...given }: { id: Quantity; name: string; [setting: string]: unknown }) => {
    if (ids.has(id)) throw chainsFileError(path, `has the chain id ${Number(id)} twice`);
    if (embeddedIds.includes(id)) throw chainsFileError(path, `has the chain id ${Number(id)}, which an embedded chain has`);
    ids.add(id);
    return { id, name, values: Object.fromEntries(own.map(([setting]) => [setting, given[camelCase(setting)]])) };
  });
}

/** Every text that must be masked in output: `secretValues` of the settings, and of each chain of CHAINS. */
export const secretsOfChains = (
  definitions: SettingDefinitions,
  values: Readonly<Record<string, unknown>>,
  chains = readChainsFile(values.CHAINS as string | undefined, definitions),
): readonly string[] => [{ values }, ...chains].flatMap((chain) => secretValues(definitions, chain.values));
