import type { Snapshot } from '../../../snapshot/index.ts';
import { hasCode } from '../../../snapshot/node-capabilities.ts';
import type { RpcOutcome } from '../../../upstream/rpc/rpc-call.ts';
import { ENHANCED_METHOD_PREFIXES, ENHANCED_METHODS, type EnhancedMethodPrefix, type EnhancedMethods } from '../rpc-methods.ts';

/** Which methods a node is asked by: found out, or the operator's word. */
export type EnhancedMethodsSetting = 'auto' | 'plain' | EnhancedMethodPrefix;

/** Gives the enhanced methods of the node that an operation is on; undefined when it has none. */
export type DetectEnhancedMethods = (view: Snapshot) => Promise<EnhancedMethods | undefined>;

const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;

/**
 * Finds out once for each endpoint of a node which enhanced methods it has, by asking for the metadata of nothing. What cannot be told, because
 * the node fails at the moment, is found out by the next operation; this one goes without.
 */
export function createEnhancedMethodsDetector(setting: EnhancedMethodsSetting): DetectEnhancedMethods {
  const found = new WeakMap<object, EnhancedMethods | 'none'>();
  return async (view) => {
    if (setting === 'plain') return undefined;
    if (setting !== 'auto') return ENHANCED_METHODS[setting];
    const known = found.get(view.session.capabilities);
    if (known) return known === 'none' ? undefined : known;
    const calls = ENHANCED_METHOD_PREFIXES.map((prefix) => ({
      method: ENHANCED_METHODS[prefix].metadata.name,
      params: [ZERO_ADDRESS],
    }));
    const outcomes = await view.session.send(calls, view.operation.signal);
    const has = ENHANCED_METHOD_PREFIXES.find((_prefix, i) => isSupported(outcomes[i]!));
    const isTold = has !== undefined || outcomes.every((outcome) => 'error' in outcome && isUnsupported(outcome));
    if (isTold) found.set(view.session.capabilities, has ? ENHANCED_METHODS[has] : 'none');
    return has && ENHANCED_METHODS[has];
  };
}

const isUnsupported = (outcome: RpcOutcome): boolean => 'error' in outcome && hasCode(outcome.error, 'METHOD_NOT_SUPPORTED');

/** Whether the node has carried the method out, or refused just these parameters. */
const isSupported = (outcome: RpcOutcome): boolean =>
  'result' in outcome || hasCode(outcome.error, 'EXECUTION_REVERTED') || hasCode(outcome.error, 'UPSTREAM_PROTOCOL_ERROR');
