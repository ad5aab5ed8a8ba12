import type { FieldWeights } from '../../../graphql/pipeline/cost/field-cost.ts';
import { objectWeights } from './object-weights.ts';
import { pageWeights } from './page-weights.ts';
import { proofWeights } from './proofs.ts';
import { rawWeights } from './raw-weights.ts';
import { rootWeights } from './root-weights.ts';

/** Cost weights of the chain's fields. */
export const chainWeights: FieldWeights = { ...rootWeights, ...objectWeights, ...pageWeights, ...proofWeights, ...rawWeights };
