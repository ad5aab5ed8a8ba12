import { ParamType } from 'ethers/abi';

/** A parameter of an entry, unchecked. */
interface UncheckedParameter {
  readonly name?: unknown;
  readonly type?: unknown;
  readonly components?: unknown;
}

/** The fields of a function, an event or an error, unchecked. */
export interface UncheckedEntry {
  readonly name?: unknown;
  readonly inputs?: unknown;
  readonly outputs?: unknown;
}

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
const ACCEPTED_TYPES = 'Write a type of the ABI, such as uint256, bytes32, address[] or tuple';

/** Why an entry is not valid, and what is accepted: the end of a sentence that starts with the entry. */
export function entryProblem({ name, inputs, outputs }: UncheckedEntry): string {
  if (typeof name !== 'string' || !IDENTIFIER.test(name)) return 'its `name` is not an identifier';
  return (
    listProblem(inputs, 'inputs') ??
    listProblem(outputs, 'outputs') ??
    'its fields contradict each other. Write the entry as a compiler does'
  );
}

function listProblem(list: unknown, path: string): string | undefined {
  if (list === undefined || list === null) return undefined;
  if (!Array.isArray(list)) return `\`${path}\` is not a list of parameters`;
  for (const [i, parameter] of list.entries()) {
    const problem = parameterProblem(parameter, `${path}[${i}]`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Why a parameter is not valid; undefined if it is. */
function parameterProblem(parameter: unknown, path: string): string | undefined {
  if (isValid(parameter)) return undefined;
  if (typeof parameter !== 'object' || parameter === null) return `\`${path}\` is not an object with a \`type\``;
  const { name, type, components } = parameter as UncheckedParameter;
  const subject = typeof name === 'string' && IDENTIFIER.test(name) ? `\`${path}\` (${name})` : `\`${path}\``;
  if (typeof type !== 'string') return `${subject} has no type. ${ACCEPTED_TYPES}`;
  if (type.startsWith('tuple')) {
    const problem = listProblem(components ?? {}, `${path}.components`);
    if (problem !== undefined) return problem;
  }
  if (isValid({ type, components })) return `the name of \`${path}\` is not an identifier`;
  return `${subject} has the unknown type ${JSON.stringify(type)}. ${ACCEPTED_TYPES}`;
}

function isValid(parameter: unknown): boolean {
  try {
    // The types of the library describe valid parameters only.
    ParamType.from(parameter as Parameters<typeof ParamType.from>[0], true);
    return true;
  } catch {
    return false;
  }
}
