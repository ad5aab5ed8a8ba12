import type { RpcMethod } from '../../../upstream/rpc/rpc-method.ts';
import type { ChainContext } from '../context.ts';

type ParameterlessMethods = Readonly<Record<string, RpcMethod<[], unknown>>>;

/** A resolver for each method of a table, under the same name: the field is the method's result. */
export const methodResolvers = <T extends ParameterlessMethods>(table: T) =>
  Object.fromEntries(
    Object.entries(table).map(([field, method]) => [
      field,
      (_parent: unknown, _args: unknown, { chain }: ChainContext) => chain.call(method),
    ]),
  ) as { [Field in keyof T]: (parent: unknown, args: unknown, context: ChainContext) => Promise<ReturnType<T[Field]['read']>> };
