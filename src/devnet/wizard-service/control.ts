import { z } from 'zod';
import { type WizardFaultInjector, wizardFaultsSchema } from './faults.ts';
import { BadRequestError, WizardHttpError } from './http-error.ts';
import type { IndexedBlockId } from './tournament-index.ts';

const controlRequestSchema = z.strictObject({
  /** The whole set of switches; what is left out is off. */
  faults: wizardFaultsSchema.optional(),
});

export type WizardControlRequest = z.input<typeof controlRequestSchema>;

export interface WizardControlState {
  /** The block that answers are of; null while there is none, which is when the service answers 503. */
  readonly head: IndexedBlockId | null;
  readonly faults: z.output<typeof wizardFaultsSchema>;
}

/** GET gives the state, POST the state after what was asked. */
export type WizardControl = (verb: string, text: string) => WizardControlState;

/** For tests and the devnet; no part of the seed's interface, and under a path of its own that only the owner knows. */
export function createWizardControl(faults: WizardFaultInjector, head: () => IndexedBlockId | undefined): WizardControl {
  const read = (text: string) => {
    try {
      return controlRequestSchema.parse(JSON.parse(text));
    } catch (error) {
      if (error instanceof z.ZodError) throw new BadRequestError(z.prettifyError(error));
      throw new BadRequestError('want JSON');
    }
  };
  return (verb, text) => {
    if (verb !== 'GET' && verb !== 'POST') throw new WizardHttpError(405, 'want GET or POST', { allow: 'GET, POST' });
    const asked = verb === 'POST' ? read(text) : {};
    if (asked.faults) faults.set(asked.faults);
    const { number, hash } = head() ?? {};
    return {
      head: number === undefined || hash === undefined ? null : { number, hash },
      faults: faults.current,
    };
  };
}
