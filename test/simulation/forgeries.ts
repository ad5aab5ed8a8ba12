import type { SimNode } from '../support/simulator/node.ts';
import { respondTo, SimRpcError } from '../support/simulator/rpc-simulator.ts';
import type { World } from './world.ts';

/** Fields of a block and of a receipt that the hash of a block does not cover: the simulated blocks have no whole transactions. */
const UNCOVERED =
  /^(size|transactions|uncles|withdrawals|totalDifficulty|contractAddress|from|to|gasUsed|effectiveGasPrice|blob.*)$/;

/** Creates a function that returns false results of reads: a digit of a value differs, an entry is missing, or all is missing. */
export function createForgeries({ draw, chain, node }: World): NonNullable<SimNode['intercept']> {
  const forgeDigit = (value: string): string => {
    const at = 2 + draw.below(value.length - 2);
    const digit = (Number.parseInt(value[at]!, 16) + 1 + draw.below(15)) % 16;
    return `${value.slice(0, at)}${digit.toString(16)}${value.slice(at + 1)}`;
  };
  const forgeIn = (value: any): any => {
    if (typeof value === 'string') return value.length > 2 ? forgeDigit(value) : value;
    if (Array.isArray(value)) {
      const at = draw.below(value.length);
      if (value.length === 0 || draw.chance(0.3)) return value.filter((_one, i) => i !== at);
      return value.map((one, i) => (i === at ? forgeIn(one) : one));
    }
    if (typeof value !== 'object' || value === null) return value;
    const name = draw.pick(Object.keys(value).filter((key) => !UNCOVERED.test(key)));
    return { ...value, [name]: forgeIn(value[name]) };
  };
  return (method, params) => {
    if (!/^eth_get(Block(ByHash|ByNumber|Receipts))$/.test(method)) return undefined;
    try {
      const honest = respondTo(node.views[0]!, (hash) => chain.block(hash), node.chainId, method, params, node);
      return { result: draw.chance(0.1) ? null : forgeIn(honest) };
    } catch (error) {
      if (error instanceof SimRpcError) return undefined;
      throw error;
    }
  };
}
