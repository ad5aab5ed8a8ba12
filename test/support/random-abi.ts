import type { AbiValue } from '../../src/ethereum/abi/reader.ts';
import type { RandomChoices } from './random-choices.ts';

/** A parameter in JSON form, a value of its type for ethers, and the value as the server decodes it. */
export interface RandomArgument {
  readonly parameter: { readonly type: string; readonly name: string; readonly components?: readonly unknown[] };
  readonly value: unknown;
  readonly decoded: AbiValue;
}

const TEXTS = [
  '',
  'a',
  'solde insuffisant : 10 €',
  '\u0000"\\',
  '\ufeffmark',
  '🧙',
  'x'.repeat(31),
  'y'.repeat(32),
  'z'.repeat(65),
];

/** A random type with `depth` levels of arrays and tuples at most. */
interface RandomType {
  readonly type: string;
  readonly components?: readonly unknown[];
  create(): { readonly value: unknown; readonly decoded: AbiValue };
}

/** Returns a random argument, nested up to `depth` levels. */
export function randomArgument(choices: RandomChoices, depth: number): RandomArgument {
  const { create, ...parameter } = randomType(choices, depth);
  return { parameter: { ...parameter, name: randomName(choices) }, ...create() };
}

const randomName = ({ chance, pick, below }: RandomChoices): string =>
  chance(0.2) ? '' : `${pick(['a', 'b', 'c'])}${below(100)}`;

function randomType(choices: RandomChoices, depth: number): RandomType {
  const { chance } = choices;
  if (depth === 0 || chance(0.5)) return elementaryType(choices);
  return chance(0.5) ? arrayType(choices, depth) : tupleType(choices, depth);
}

function arrayType(choices: RandomChoices, depth: number): RandomType {
  const { chance, below, many } = choices;
  const { create, ...item } = randomType(choices, depth - 1);
  const length = chance(0.5) ? undefined : 1 + below(3);
  return {
    ...item,
    type: `${item.type}[${length ?? ''}]`,
    create() {
      const items = many(length ?? below(4), create);
      return { value: items.map(({ value }) => value), decoded: items.map(({ decoded }) => decoded) };
    },
  };
}

function tupleType(choices: RandomChoices, depth: number): RandomType {
  const { below, many } = choices;
  const members = many(1 + below(4), () => ({ name: randomName(choices), of: randomType(choices, depth - 1) }));
  const names = members.map(({ name }) => name);
  const isNamed = names.every((name) => name !== '') && new Set(names).size === names.length;
  return {
    type: 'tuple',
    components: members.map(({ name, of: { create: _create, ...type } }) => ({ ...type, name })),
    create() {
      const values = members.map(({ of }) => of.create());
      const decoded = values.map((one) => one.decoded);
      return {
        value: values.map(({ value }) => value),
        decoded: isNamed ? Object.fromEntries(decoded.map((one, i) => [names[i], one])) : decoded,
      };
    },
  };
}

function elementaryType(choices: RandomChoices): RandomType {
  const { pick, below, hex, chance } = choices;
  const same = (type: string, create: () => AbiValue): RandomType => ({
    type,
    create() {
      const value = create();
      return { value, decoded: value };
    },
  });
  const bits = 8 * (1 + below(32));
  const integer = (): bigint => pick([0n, 1n, 2n ** BigInt(bits - 1) - 1n, BigInt.asUintN(bits - 1, BigInt(hex(32)))]);
  switch (pick(['uint', 'int', 'bytesN', 'address', 'bool', 'bytes', 'string'])) {
    case 'uint':
      return same(`uint${bits}`, () => (chance(0.2) ? 2n ** BigInt(bits) - 1n : integer()).toString());
    case 'int':
      return same(`int${bits}`, () => (chance(0.5) ? -integer() - 1n : integer()).toString());
    case 'bytesN':
      return same(`bytes${bits / 8}`, () => hex(bits / 8));
    case 'address':
      return same('address', () => hex(20));
    case 'bool':
      return same('bool', () => chance(0.5));
    case 'bytes':
      return same('bytes', () => hex(pick([0, 1, 31, 32, 33, 64])));
    default:
      return same('string', () => pick(TEXTS));
  }
}

/** Changes ABI-encoded data at one place: a byte, a word, the end. */
export function mutateEncoding({ below, pick, hex }: RandomChoices, data: string): string {
  const digits = data.slice(2);
  const bytes = digits.length / 2;
  const replaceAt = (at: number, replacement: string): string =>
    `0x${digits.slice(0, 2 * at)}${replacement}${digits.slice(2 * at + replacement.length)}`;
  const word = 32 * below(Math.max(1, Math.floor(bytes / 32)));
  return pick<() => string>([
    () => (bytes === 0 ? '0x00' : replaceAt(below(bytes), hex(1).slice(2))),
    () => (bytes < 32 ? `${data}01` : replaceAt(word, hex(32).slice(2))),
    () => (bytes < 32 ? `${data}02` : replaceAt(word, (32 * below(8)).toString(16).padStart(64, '0'))),
    () => data.slice(0, Math.max(2, data.length - 2 * (1 + below(64)))),
    () => data + '00'.repeat(pick([1, 32, 64])),
    () => data + hex(pick([1, 32])).slice(2),
  ])();
}
