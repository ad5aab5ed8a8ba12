import type { View } from '../../../snapshot/index.ts';
import { hasCode } from '../../../snapshot/node-probe.ts';
import type { RpcOutcome } from '../../../upstream/rpc/http-batches.ts';
import { ENHANCED, type Enhanced, PREFIXES, type Prefix } from '../rpc-methods.ts';

/** Which methods a node is asked by: found out, or the operator's word. */
export type NodeMethods = 'auto' | 'plain' | Prefix;

/** Gives the enhanced methods of the node that an operation is on; undefined when it has none. */
export type FindEnhanced = (view: View) => Promise<Enhanced | undefined>;

const NOWHERE = `0x${'0'.repeat(40)}`;

/**
 * Finds out once for each endpoint of a node which enhanced methods it has, by asking for the metadata of nothing. What cannot be told, because
 * the node fails at the moment, is found out by the next operation; this one goes without.
 */
export function openEnhanced(setting: NodeMethods): FindEnhanced {
  const found = new WeakMap<object, Enhanced | 'none'>();
  return async (view) => {
    if (setting === 'plain') return undefined;
    if (setting !== 'auto') return ENHANCED[setting];
    const known = found.get(view.session.facts);
    if (known) return known === 'none' ? undefined : known;
    const calls = PREFIXES.map((prefix) => ({ method: ENHANCED[prefix].metadata.name, params: [NOWHERE] }));
    const outcomes = await view.session.send(calls, view.operation.signal);
    const has = PREFIXES.find((_prefix, i) => isThere(outcomes[i]!));
    const isTold = has !== undefined || outcomes.every((outcome) => 'error' in outcome && isMissing(outcome));
    if (isTold) found.set(view.session.facts, has ? ENHANCED[has] : 'none');
    return has && ENHANCED[has];
  };
}

const isMissing = (outcome: RpcOutcome): boolean => 'error' in outcome && hasCode(outcome.error, 'METHOD_NOT_SUPPORTED');

/** Whether the node has carried the method out, or refused just these parameters. */
const isThere = (outcome: RpcOutcome): boolean =>
  'result' in outcome || hasCode(outcome.error, 'EXECUTION_REVERTED') || hasCode(outcome.error, 'UPSTREAM_PROTOCOL_ERROR');
