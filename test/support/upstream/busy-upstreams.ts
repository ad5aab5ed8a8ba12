import type { ServerResponse } from 'node:http';
import { WIZARD_CREDENTIALS } from '../secrets.ts';
import { type BusyNode, LOG_COUNT, startBusyNode } from './busy-node.ts';
import { duelFixture, startScriptedWizardService } from './scripted-wizard-service.ts';

/** A busy node and a wizard service with a long list of duels. */
export interface BusyUpstreams {
  readonly node: BusyNode;
  /** Settings of a graph over both, which accepts all logs of the node. */
  readonly settings: Readonly<Record<string, string>>;
}

/** Starts the upstreams. `onHeavyResponse` is called when they start to send a list of duels, or a response with logs or receipts. */
export async function startBusyUpstreams(duelCount: number, onHeavyResponse: () => void = () => {}): Promise<BusyUpstreams> {
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
    settings: {
      RPC_URL: node.url,
      WIZARDS_URL: service.url,
      WIZARDS_API_TOKEN: WIZARD_CREDENTIALS.token,
      WIZARDS_EMAIL: WIZARD_CREDENTIALS.email,
      LOG_LEVEL: 'warn',
      MAX_LOGS: String(LOG_COUNT),
    },
  };
}
