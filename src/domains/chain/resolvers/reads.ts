import type { Method } from '../../../upstream/rpc/operation-calls.ts';
import type { ChainContext } from '../context.ts';

type Plain = Readonly<Record<string, Method<[], unknown>>>;

/** A resolver for each method of a table, under the same name: the field is the method's result. */
export const reads = <T extends Plain>(table: T) =>
  Object.fromEntries(
    Object.entries(table).map(([field, method]) => [
      field,
      (_parent: unknown, _args: unknown, { chain }: ChainContext) => chain.call(method),
    ]),
  ) as { [Field in keyof T]: (parent: unknown, args: unknown, context: ChainContext) => Promise<ReturnType<T[Field]['read']>> };
