import { expect, test } from '@jest/globals';
import { parseSync } from '@swc/core';
import { listFiles, readSource } from './source-files.ts';

/** Words that name no concept of the field; each has a standard term, such as cached, requested, emitted or head. */
const BANNED_WORDS: ReadonlySet<string> = new Set([
  'anew',
  'asked',
  'forgotten',
  'goodbye',
  'heard',
  'house',
  'kept',
  'lifeline',
  'mailbox',
  'remembered',
  'told',
  'vigil',
  'whoever',
]);

/** First words of constants that `MAX` or `MIN` replaces. */
const BANNED_CONSTANTS = /^(?:MOST|LONGEST|LARGEST|FURTHEST|FEWEST|SHORTEST|OFTEN)(?:_|$)/;

/** Factories are `createX` or `startX`; these open a connection or a page of a browser. */
const OPENING_FUNCTIONS: ReadonlySet<string> = new Set(['openSocket', 'openPage', 'openCheckedPage']);

const FOLDERS = ['src/', 'devnet/src/', 'test/', 'scripts/', 'bench/', 'playground/', 'explorer/', 'examples/'];

/** The words of a name in camel case, kebab case or capitals. */
const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '');

const hasBannedWord = (name: string): boolean => {
  const words = wordsOf(name);
  return words.some((word, index) => BANNED_WORDS.has(word) || (word === 'stand' && words[index + 1] === 'in'));
};

interface SyntaxNode {
  readonly type?: string;
  readonly value?: unknown;
  readonly id?: SyntaxNode;
  readonly identifier?: SyntaxNode;
  readonly init?: SyntaxNode | null;
}

const FUNCTION_TYPES: readonly (string | undefined)[] = ['ArrowFunctionExpression', 'FunctionExpression'];

/** The name of a function that a node declares. */
function declaredFunction({ type, identifier, id, init }: SyntaxNode): string | undefined {
  if (type === 'FunctionDeclaration') return String(identifier?.value);
  return type === 'VariableDeclarator' && FUNCTION_TYPES.includes(init?.type) ? String(id?.value) : undefined;
}

/** The names in a source that break the vocabulary. */
function bannedNames(text: string, isTsx = false): string[] {
  const banned = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const syntax = node as SyntaxNode;
    const name = syntax.type === 'Identifier' || syntax.type === 'PrivateName' ? String(syntax.value) : undefined;
    if (name !== undefined && (hasBannedWord(name) || BANNED_CONSTANTS.test(name))) banned.add(name);
    const factory = declaredFunction(syntax);
    if (factory !== undefined && /^open[A-Z]/.test(factory) && !OPENING_FUNCTIONS.has(factory)) banned.add(factory);
    for (const child of Object.values(node)) visit(child);
  };
  visit(parseSync(text, { syntax: 'typescript', tsx: isTsx, target: 'es2023' }));
  return [...banned].sort();
}

/** Whether a name of a source may break the vocabulary. A name is part of the text, and most texts need no syntax tree. */
const mayHaveBannedName = (text: string): boolean =>
  hasBannedWord(text) ||
  text.match(/[A-Z]+(?=_|\b)/g)?.some((word) => BANNED_CONSTANTS.test(word)) === true ||
  /\bopen[A-Z]/.test(text);

const paths = FOLDERS.flatMap((folder) => listFiles(folder, ['.ts', '.tsx']));

test('no identifier contains a banned word', () => {
  expect(paths.length).toBeGreaterThan(400);
  const banned = paths.map((path) => {
    const text = readSource(path);
    return [path, mayHaveBannedName(text) ? bannedNames(text, path.endsWith('x')) : []] as const;
  });
  expect(Object.fromEntries(banned.filter(([, names]) => names.length > 0))).toEqual({});
});

test('no file name contains a banned word', () => {
  expect(paths.filter(hasBannedWord)).toEqual([]);
});

test.each([
  ['a local variable', 'const told = 1;', ['told']],
  ['a word inside a name', 'function isAskedAgain() {}', ['isAskedAgain']],
  ['a property', 'interface Entry { readonly keptSince: number }', ['keptSince']],
  ['a private field', 'class Cache { #kept = 1; }', ['kept']],
  ['a name of two words', 'const standInServer = 1;', ['standInServer']],
  ['a constant for a maximum', 'const MOST_BYTES = 1;', ['MOST_BYTES']],
  ['a factory', 'const openFeed = () => 1; function openCache() {}', ['openCache', 'openFeed']],
])('%s with a banned name is found', (_case, text, names) => {
  expect(bannedNames(text)).toEqual(names);
  expect(mayHaveBannedName(text)).toBe(true);
});

test('standard terms, comments and texts are accepted', () => {
  const text =
    "// told and asked\nconst almostOpen = 'kept'; const openSocket = () => 1; const housekeeping = 1; let openStreams = 0;";
  expect(bannedNames(text)).toEqual([]);
});

test.each(['src/sync/log-mailbox.ts', 'test/house/imports.test.ts', 'src/sync/stand-in.ts'])(
  'the file name %s is found',
  (path) => {
    expect(hasBannedWord(path)).toBe(true);
  },
);
