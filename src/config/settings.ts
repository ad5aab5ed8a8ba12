import { z } from 'zod';
import { quantityOf } from '../ethereum/hex.ts';
import { MIN_PASSWORD_LENGTH, secretsIn } from '../lib/endpoint.ts';
import { GraphError } from '../lib/errors.ts';
import { parseUrl } from '../lib/urls.ts';

/** One setting: read from a command line flag or an environment variable. */
export interface Setting<T extends z.ZodType = z.ZodType> {
  readonly schema: T;
  /** Meaning, unit, and behaviour when unset. Shown in the help and in docs/settings.md. */
  readonly about: string;
  /** Masks the value in responses, errors and the log. */
  readonly secret?: true;
  /** Returns the part of an entry of a secret list that is masked by itself, too. */
  readonly secretPart?: (entry: string) => string;
  /** A second flag, in a command that has no other use for it. */
  readonly otherFlag?: string;
  /** The value of a flag that is given without a value. If undefined, the flag needs a value. */
  readonly flagDefault?: string;
  /** Whether each chain of CHAINS has its own value, for a setting of a domain. */
  readonly isPerChain?: true;
  /** Whether repeated flags make a list; otherwise the last flag is used. */
  readonly isRepeatable?: true;
  /** Returns why the setting has no effect beside these settings; false if it has one. @default it always has an effect */
  readonly ignoredFor?: (values: Readonly<Record<string, unknown>>) => string | false;
}

/** Whether settings name a node or a network of another process. */
export const isOverNode = ({ RPC_URL, DEVNET_URL }: Readonly<Record<string, unknown>>): boolean =>
  RPC_URL !== undefined || DEVNET_URL !== undefined;

/** Settings by their environment variables' names. */
export type SettingDefinitions = Readonly<Record<string, Setting>>;

/** The parsed values of a list of settings. */
export type SettingValues<Definitions extends SettingDefinitions> = {
  readonly [Name in keyof Definitions]: z.output<Definitions[Name]['schema']>;
};

export const setting = <T extends z.ZodType>(schema: T, options: Omit<Setting, 'schema'>): Setting<T> => ({ schema, ...options });

/** A setting that is off unless its flag is given. */
export const switchSetting = (about: string) => setting(oneOf('on', 'off').default('off'), { about, flagDefault: 'on' });

/** A number from `min` to `max`, both included. */
export function numberFrom(min: number, max: number, isWhole = false) {
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  const error = `expected a ${isWhole ? 'whole ' : ''}number ${range}`;
  const isAccepted = (value: number) => value >= min && value <= max && (!isWhole || Number.isInteger(value));
  return z.union([z.string(), z.number()], { error }).transform(Number).refine(isAccepted, { error });
}

/** A whole number from `min` to `max`, both included. */
export const integer = (min: number, max = Number.MAX_SAFE_INTEGER) => numberFrom(min, max, true);

/** One of several texts. */
export const oneOf = <const Values extends readonly [string, ...string[]]>(...values: Values) =>
  z.enum(values, { error: `expected ${values.join(' or ')}` });

/** Whether a text is several URLs with commas between them, which a URL parser reads as one. */
const isUrlList = (text: string): boolean => /^[^?#]*,\s*\w+:\/\//.test(text) || !!parseUrl(text)?.hostname.includes(',');

const oneUrl = (protocol: RegExp, accepted: string) =>
  z.url({ protocol, error: `is not ${accepted} URL` }).refine((text) => !isUrlList(text), {
    error: `has several URLs; pass ${accepted} URL`,
  });

export const httpUrl = oneUrl(/^https?$/, 'an http:// or https://');

// PostgreSQL's own form without a host is for sockets of the file system.
export const postgresUrl = oneUrl(/^postgres(?:ql)?$/, 'a postgres:// or postgresql://');

export const webSocketUrl = oneUrl(/^wss?$/, 'a ws:// or wss://');

/** Comma-separated texts, without the spaces around each. */
export const commaSeparated = z.string().transform((text) => text.split(',').map((entry) => entry.trim()));

/** A text that can be sent as the value of an HTTP header. */
export const headerText = z.string().regex(/^[!-~]+$/, 'has characters that an HTTP header cannot contain');

/** The command line flag of a setting: `RPC_URL` is `--rpc-url`. */
export const settingFlag = (name: string): string => `--${name.toLowerCase().replaceAll('_', '-')}`;

/** Returns the default of a setting as written on the command line; empty if the setting has no default. */
export function settingDefault({ schema }: Setting): string {
  const value: unknown = schema.safeParse(undefined).data;
  return Array.isArray(value) ? value.join(',') : String(value ?? '');
}

/**
 * Reads all settings. A flag overrides the environment; an empty value counts as unset. Throws BAD_USER_INPUT with one
 * line for each invalid setting and the values that it accepts, without the values of secret settings.
 */
export function readSettings<Definitions extends SettingDefinitions>(
  definitions: Definitions,
  flags: Partial<Record<string, string>>,
  environment: NodeJS.ProcessEnv = process.env,
): SettingValues<Definitions> {
  const problems: string[] = [];
  const values = Object.entries(definitions).map(([name, definition]) => {
    const text = flags[name] ?? environment[name];
    const result = definition.schema.safeParse(text?.trim() === '' ? undefined : text);
    if (!result.success) problems.push(describeInvalidSetting(name, definition, text ?? '', result.error.issues[0]!));
    return [name, result.data];
  });
  if (problems.length > 0) throw new GraphError('BAD_USER_INPUT', problems.join('\n'));
  return Object.fromEntries(values) as SettingValues<Definitions>;
}

/** Names the entry of a list by its position, and by its text unless the setting is secret. */
function describeInvalidSetting(name: string, { secret }: Setting, text: string, { path, message }: z.core.$ZodIssue): string {
  const entries = text.split(',');
  const index = Number(path[0] ?? 0);
  const entry =
    entries.length > 1 && path.length > 0 ? `entry ${index + 1}${secret ? '' : ` ("${entries[index]!.trim()}")`}: ` : '';
  return `${name} (or ${settingFlag(name)})${secret ? '' : ` is "${text}"`}: ${entry}${message}.`;
}

/** One line for each variable of the environment whose name differs from a setting by a typing error. */
export const misspelledSettings = (definitions: object, environment: object = process.env): readonly string[] =>
  Object.keys(environment).flatMap((variable) => {
    const isMeant = (name: string) => name.includes('_') && isMisspelling(name, variable);
    const meant = variable in definitions ? undefined : Object.keys(definitions).find(isMeant);
    return meant ? [`the variable ${variable} is no setting; did you mean ${meant}?`] : [];
  });

/** Whether two different texts differ in one place only, by at most two characters. */
function isMisspelling(a: string, b: string): boolean {
  const shorter = Math.min(a.length, b.length);
  let [start, end] = [0, 0];
  while (start < shorter && a[start] === b[start]) start++;
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  return Math.max(a.length, b.length) - start - end <= 2;
}

/**
 * Returns every text that must be masked in output: the secret settings as a whole, and the parts of a URL that can
 * contain a key.
 */
export function secretValues(definitions: SettingDefinitions, values: Readonly<Record<string, unknown>>): string[] {
  const texts = Object.entries(definitions).flatMap(([name, { secret, secretPart }]) => {
    const entries = secret ? [values[name] ?? []].flat().map(String) : [];
    return [...entries, ...(secretPart ? entries.map(secretPart) : [])].filter((text) => text.length >= MIN_PASSWORD_LENGTH);
  });
  // A URL of a host alone has no key, and the log names hosts.
  return [...new Set(texts.flatMap((text) => [text, ...secretsIn(text)]))].filter((text) => parseUrl(text)?.origin !== text);
}

/**
 * The facts that the graph states about the server. A limit has the name of its setting in camel case, and a value as
 * 0x-hex in the unit of the setting.
 */
export interface ServiceDescription {
  readonly version: string;
  readonly limits: ReturnType<typeof serviceLimits>;
}

/** Names of the settings that limit requests: `MAX_DEPTH`, `RATE_LIMIT_COST`, `WIZARDS_MAX_BYTES`, `RPC_TIMEOUT_MS`. */
const LIMIT_NAME = /^MAX_|^RATE_LIMIT_|_MAX_|_TIMEOUT_MS$/;

/** The name of a setting in camel case, as commander stores its flag: `RPC_URL` is `rpcUrl`. */
export const camelCase = (name: string): string =>
  name.toLowerCase().replace(/_(.)/g, (_match, letter: string) => letter.toUpperCase());

/** Returns the limits among the settings, without secret limits and without unset limits. */
export const serviceLimits = (definitions: SettingDefinitions, values: Readonly<Record<string, unknown>>) =>
  Object.entries(definitions).flatMap(([setting, { secret }]) => {
    const value = values[setting];
    return LIMIT_NAME.test(setting) && !secret && typeof value === 'number'
      ? [{ name: camelCase(setting), value: quantityOf(value), setting }]
      : [];
  });
