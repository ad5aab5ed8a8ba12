import type { ExecutionResult } from 'graphql';

/** A value of an event. */
export interface SummaryPart {
  /** Path below the only root field; `error` for its errors. */
  readonly name: string;
  /** Its text, shortened. */
  readonly value: string;
  /** Whether the event before it has another value, or none. */
  readonly isChanged: boolean;
}

/** Maximum number of values of an event in its line of the list. */
const MAX_PARTS = 12;

/** Maximum length of a hash, an id or a cursor that is shown whole. */
const MAX_IDENTIFIER = 20;

/** Maximum length of any other text, which holds a time and the largest integer of 128 bits. */
const MAX_TEXT = 40;

type Leaf = readonly [name: string, value: unknown];

/** Whether these are the arguments of a decoded call or event. */
const isArgumentList = (value: unknown): value is readonly { readonly name: string; readonly value: unknown }[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => typeof item?.name === 'string' && 'value' in item);

function leavesOf(value: unknown, name = ''): readonly Leaf[] {
  if (isArgumentList(value)) return value.map((argument) => [argument.name, argument.value]);
  return value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.entries(value).flatMap(([key, child]) => leavesOf(child, name ? `${name}.${key}` : key))
    : [[name, value]];
}

/** The values of an event: a subscription has one root field, a live query may have several. */
function eventLeaves({ data }: ExecutionResult): readonly Leaf[] {
  const roots = Object.values(data ?? {});
  return data ? leavesOf(roots.length === 1 ? roots[0] : data) : [];
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.length === 1 ? '1 item' : `${value.length} items`;
  const text = String(value);
  const isWord = /^[\w-]+$/.test(text);
  if (text.length <= (isWord && !/^-?\d+$/.test(text) ? MAX_IDENTIFIER : MAX_TEXT)) return text;
  return isWord ? `${text.slice(0, 8)}…${text.slice(-6)}` : `${text.slice(0, MAX_TEXT)}…`;
}

/** A cursor is unique, and has no meaning for a reader. */
const rankOf = ({ name }: SummaryPart): number => (name === 'cursor' ? 1 : 0);

/** The values of an event in the order of the selection, which is the same in each line of the list, and its cursor last. */
export function summaryOf(result: ExecutionResult, previous: ExecutionResult = {}): readonly SummaryPart[] {
  const before = new Map(eventLeaves(previous).map(([name, value]) => [name, JSON.stringify(value)]));
  const errors = (result.errors ?? []).map(({ message }) => ({ name: 'error', value: message, isChanged: true }));
  const values = eventLeaves(result).map(([name, value]) => ({
    name,
    value: textOf(value),
    isChanged: before.get(name) !== JSON.stringify(value),
  }));
  return [...errors, ...values].sort((a, b) => rankOf(a) - rankOf(b)).slice(0, MAX_PARTS);
}
