import { quantityOf } from '../ethereum/hex.ts';
import type { SettingDefinitions } from './settings.ts';

/** A limit of the server. */
export interface ServiceLimit {
  /** The name of the setting in camel case. */
  readonly name: string;
  /** As 0x-hex, in the unit of the setting. */
  readonly value: string;
  readonly setting: string;
}

/** What the graph states about the server itself. */
export interface ServiceDescription {
  readonly version: string;
  readonly limits: readonly ServiceLimit[];
}

/** Names of the settings that limit requests: `MAX_DEPTH`, `RATE_LIMIT_COST`, `WIZARDS_MAX_BYTES`, `RPC_TIMEOUT_MS`. */
const LIMIT_NAME = /^MAX_|^RATE_LIMIT_|_MAX_|_TIMEOUT_MS$/;

const camelCase = (name: string): string => name.toLowerCase().replace(/_(.)/g, (_match, letter: string) => letter.toUpperCase());

/** Returns the limits among the settings, without secret limits and without unset limits. */
export const serviceLimits = (definitions: SettingDefinitions, values: Readonly<Record<string, unknown>>): ServiceLimit[] =>
  Object.entries(definitions).flatMap(([setting, { secret }]) => {
    const value = values[setting];
    return LIMIT_NAME.test(setting) && !secret && typeof value === 'number'
      ? [{ name: camelCase(setting), value: quantityOf(value), setting }]
      : [];
  });
