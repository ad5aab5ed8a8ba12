import type { Snapshot } from '../../../snapshot/index.ts';
import { hasCode } from '../../../snapshot/node-capabilities.ts';
import type { RpcOutcome } from '../../../upstream/rpc/rpc-call.ts';
import { ENHANCED_METHOD_PREFIXES, ENHANCED_METHODS, type EnhancedMethodPrefix, type EnhancedMethods } from '../rpc-methods.ts';

/** The setting NODE_METHODS: detect the enhanced methods, use none, or use those with a prefix. */
export type EnhancedMethodsSetting = 'auto' | 'plain' | EnhancedMethodPrefix;

/** Returns the enhanced methods of the node that serves an operation; undefined if it has none. */
export type DetectEnhancedMethods = (snapshot: Snapshot) => Promise<EnhancedMethods | undefined>;

const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;

/**
 * Creates a detector that probes each endpoint once, by requesting the metadata of the zero address. If the probe fails, this operation uses no
 * enhanced methods and the next one probes again.
 */
export function createEnhancedMethodsDetector(setting: EnhancedMethodsSetting): DetectEnhancedMethods {
  const methodsByEndpoint = new WeakMap<object, EnhancedMethods | 'none'>();
  return async ({ session, operation }) => {
    if (setting === 'plain') return undefined;
    if (setting !== 'auto') return ENHANCED_METHODS[setting];
    const detected = methodsByEndpoint.get(session.capabilities);
    if (detected) return detected === 'none' ? undefined : detected;
    const calls = ENHANCED_METHOD_PREFIXES.map((prefix) => ({
      method: ENHANCED_METHODS[prefix].metadata.name,
      params: [ZERO_ADDRESS],
    }));
    const outcomes = await session.send(calls, operation.signal);
    const prefix = ENHANCED_METHOD_PREFIXES.find((_prefix, i) => isSupported(outcomes[i]!));
    const isConclusive = prefix !== undefined || outcomes.every(isUnsupported);
    if (isConclusive) methodsByEndpoint.set(session.capabilities, prefix ? ENHANCED_METHODS[prefix] : 'none');
    return prefix && ENHANCED_METHODS[prefix];
  };
}

const isUnsupported = (outcome: RpcOutcome): boolean => 'error' in outcome && hasCode(outcome.error, 'METHOD_NOT_SUPPORTED');

/** Whether the node executed the method, or rejected only its parameters. */
const isSupported = (outcome: RpcOutcome): boolean =>
  'result' in outcome || hasCode(outcome.error, 'EXECUTION_REVERTED') || hasCode(outcome.error, 'UPSTREAM_PROTOCOL_ERROR');
