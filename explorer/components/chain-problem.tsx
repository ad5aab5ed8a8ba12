import type { GraphError } from '@grimoire/client';
import { problemOf } from '../data/problems.ts';

/** Why a part of a page lacks the data of one chain, beside those of the others. */
export const ChainProblem = ({ error }: { readonly error: GraphError }) => (
  <p className={`notice problem ${problemOf(error)}`} data-problem={problemOf(error)} role="status">
    {error.message}
  </p>
);
