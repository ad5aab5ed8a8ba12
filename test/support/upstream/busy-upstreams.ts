import type { ServerResponse } from 'node:http';
import { LOG_COUNT, startBusyNode } from './busy-node.ts';
import { duelFixture, startScriptedWizardService } from './scripted-wizard-service.ts';

/** Starts a busy node and a wizard service with a long list of duels. `onHeavyResponse` is called when they start to send a list of duels, or a response with logs or receipts. */
export async function startBusyUpstreams(duelCount: number, onHeavyResponse: () => void = () => {}) {
  const duels = JSON.stringify({
    duels: Array.from({ length: duelCount }, (_, n) => duelFixture(n, { wizard1Id: String(n % 90), wizard2Id: String(n % 89) })),
  });
  const node = await startBusyNode();
  node.onHeavyResponse = onHeavyResponse;
  const service = await startScriptedWizardService();
  service.script = (_path: string, response: ServerResponse) => {
    onHeavyResponse();
    response.setHeader('content-type', 'application/json').end(duels);
    return 'handled';
  };
  return {
    node,
    /** Settings of a graph over both, which accepts all logs of the node. */
    settings: {
      // The hashes and roots of the blocks are invented.
      HEADER_CHECKS: 'report',
      RPC_URL: node.url,
      ...service.settings,
      LOG_LEVEL: 'warn',
      MAX_LOGS: String(LOG_COUNT),
    },
  };
}

export type BusyUpstreams = Awaited<ReturnType<typeof startBusyUpstreams>>;
