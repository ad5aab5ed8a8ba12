import type { ServerResponse } from 'node:http';
import { duelFixture, startScriptedWizardService, wizardFixture } from '../support/upstream/scripted-wizard-service.ts';
import { everyErrorHasACode, wizardsAreThoseOfTheService } from './promises.ts';
import type { World } from './world.ts';

const QUERY = `{
  wizards(first: 10) { totalCount nodes { id power duels { totalCount } } }
  duel(id: "${duelFixture(1).id}") { id wizard1 { id power } wizard2 { id } }
  block { hash }
}`;
const FIRST_POWER = 1_000;
/** Time for which the server may serve a list that it has read, with the time in which a response must arrive. */
const MAX_AGE_MS = 2_000 + 5_000;

/** Starts a service of wizards, all of which have the same power. */
export async function startWizardService() {
  const service = await startScriptedWizardService();
  service.wizards = Array.from({ length: 6 }, (_none, n) => wizardFixture(1 + n, { power: String(FIRST_POWER) }));
  service.duels = Array.from({ length: 10 }, (_none, n) => duelFixture(n, { wizard2Id: String(2 + (n % 4)) }));
  return service;
}

export type WizardService = Awaited<ReturnType<typeof startWizardService>>;

const FAILURES: readonly ((response: ServerResponse) => unknown)[] = [
  (response) => response.writeHead(503).end(),
  (response) => response.writeHead(429, { 'retry-after': '1' }).end(),
  (response) => response.socket?.destroy(),
  (response) => response.end('{"wizards":[{"id":"1","power":"9'),
  (response) => response.end('{"wizards":null,"duels":null,"id":7}'),
  // Never responds.
  () => undefined,
];

/** Reads wizards and duels of a service that changes, and compares them with it. */
export function createWizardReads({ draw, post, counts }: World, service: WizardService) {
  /** The power of the wizards, with the times from which they have had it. */
  const powers = [{ since: Number.NEGATIVE_INFINITY, power: FIRST_POWER }];
  const powerAt = (time: number): number => powers.findLast(({ since }) => since <= time)!.power;
  return {
    url: service.url,
    /** Returns whether the response has no error. */
    async read(): Promise<boolean> {
      counts.queries += 1;
      const since = performance.now();
      const { body } = await post('/graphql', JSON.stringify({ query: QUERY }));
      everyErrorHasACode(body);
      wizardsAreThoseOfTheService(service, body, [powerAt(since - MAX_AGE_MS), powerAt(performance.now())]);
      return !body.errors;
    },
    /** All wizards gain power. */
    change(): void {
      const power = powerAt(performance.now()) + 1;
      powers.push({ since: performance.now(), power });
      service.wizards = service.wizards.map((wizard) => ({ ...wizard, power: String(power) }));
    },
    /** Some requests fail until the function that it returns is called. */
    fail(): () => void {
      const failed = 1 + draw.below(10);
      service.script = (_path, response) => {
        if (draw.below(10) >= failed) return undefined;
        draw.pick(FAILURES)(response);
        return 'handled';
      };
      return () => {
        service.script = undefined;
      };
    },
  };
}

export type WizardReads = ReturnType<typeof createWizardReads>;
