import { z } from 'zod';
import { type WizardFaultInjector, wizardFaultsSchema } from './faults.ts';
import { BadRequestError, WizardHttpError } from './http-error.ts';
import type { IndexedBlockId } from './tournament-index.ts';

const controlRequestSchema = z.strictObject({
  /** The complete set of faults; absent faults are off. */
  faults: wizardFaultsSchema.optional(),
});

export type WizardControlRequest = z.input<typeof controlRequestSchema>;

export interface WizardControlState {
  /** The block of the current responses; null before the first block, while the service responds 503. */
  readonly head: IndexedBlockId | null;
  readonly faults: z.output<typeof wizardFaultsSchema>;
}

/** GET returns the state; POST applies a request and returns the new state. */
export type WizardControl = (verb: string, text: string) => WizardControlState;

/** Creates the control endpoint for tests and the devnet, which is not part of the service description. */
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
    const request = verb === 'POST' ? read(text) : {};
    if (request.faults) faults.set(request.faults);
    const { number, hash } = head() ?? {};
    return {
      head: number === undefined || hash === undefined ? null : { number, hash },
      faults: faults.current,
    };
  };
}
