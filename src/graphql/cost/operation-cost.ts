import type { OperationDefinitionNode } from 'graphql';
import { GraphError } from '../../lib/errors.ts';
import { CostEstimate } from './estimate.ts';
import { type CostLimits, type FieldWeights, INTROSPECTION_FIELD_WEIGHTS } from './field-cost.ts';
import type { PricedOperation } from './operation-reader.ts';

/** Creates a pricer. It caches the cost of operations whose cost does not depend on variables. */
export function createOperationPricer(limits: CostLimits, domainWeights: FieldWeights) {
  const weights = { ...INTROSPECTION_FIELD_WEIGHTS, ...domainWeights };
  const cache = new WeakMap<OperationDefinitionNode, number>();
  const limit = limits.MAX_COST;

  /** The stated cost without facts. For nearly all operations it is at least the cost with facts. */
  const statedWithoutFacts = (priced: PricedOperation): number => {
    const cached = cache.get(priced.operation);
    if (cached !== undefined) return cached;
    const { statedCost, dependsOnVariables } = new CostEstimate(priced, { limits }, weights);
    if (!dependsOnVariables) cache.set(priced.operation, statedCost);
    return statedCost;
  };

  return {
    /**
     * Throws QUERY_TOO_COMPLEX when the part of the cost that the request states exceeds MAX_COST. `factsOf` is called
     * only for operations that would be rejected without facts, unless the facts can add to the cost.
     */
    check(priced: PricedOperation, factsOf: () => unknown = () => undefined, canAddCost = false): void {
      if (!canAddCost && Math.ceil(statedWithoutFacts(priced)) <= limit) return;
      const byPath = new Map<string, number>();
      const { statedCost } = new CostEstimate(priced, { limits, facts: factsOf() }, weights, byPath);
      const actual = Math.ceil(statedCost);
      if (actual > limit) throw costLimitError(limit, actual, byPath);
    },
    /** The estimated cost, assumptions included. */
    estimate: (priced: PricedOperation, facts?: unknown): number => new CostEstimate(priced, { limits, facts }, weights).total,
  };
}

function costLimitError(limit: number, actual: number, byPath: ReadonlyMap<string, number>): GraphError {
  let [path, max] = ['', 0];
  for (const [name, cost] of byPath) if (cost > max) [path, max] = [name, cost];
  const share = Math.min(1, Math.round((max / actual) * 100) / 100);
  const message = `The operation would cost ${actual} and the limit is ${limit} (MAX_COST). ${Math.round(share * 100)} % of it is \`${path}\`; request less of it.`;
  return new GraphError('QUERY_TOO_COMPLEX', message, { limit, actual, setting: 'MAX_COST', mostExpensivePath: path, share });
}
