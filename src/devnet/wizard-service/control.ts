import { z } from 'zod';
import { type FaultSwitches, faultsSchema } from './faults.ts';
import { BadRequest, HttpError } from './http-error.ts';
import type { BlockId } from './state.ts';

const requestSchema = z.strictObject({
  /** The whole set of switches; what is left out is off. */
  faults: faultsSchema.optional(),
});

export type WizardControlRequest = z.input<typeof requestSchema>;

export interface WizardControlState {
  /** The block that answers are of; null while there is none, which is when the service answers 503. */
  readonly head: BlockId | null;
  readonly faults: z.output<typeof faultsSchema>;
}

/** GET gives the state, POST the state after what was asked. */
export type Control = (verb: string, text: string) => WizardControlState;

/** For tests and the devnet; no part of the seed's interface, and under a path of its own that only the owner knows. */
export function openControl(faults: FaultSwitches, head: () => BlockId | undefined): Control {
  const read = (text: string) => {
    try {
      return requestSchema.parse(JSON.parse(text));
    } catch (error) {
      if (error instanceof z.ZodError) throw new BadRequest(z.prettifyError(error));
      throw new BadRequest('want JSON');
    }
  };
  return (verb, text) => {
    if (verb !== 'GET' && verb !== 'POST') throw new HttpError(405, 'want GET or POST', { allow: 'GET, POST' });
    const asked = verb === 'POST' ? read(text) : {};
    if (asked.faults) faults.set(asked.faults);
    const { number, hash } = head() ?? {};
    return {
      head: number === undefined || hash === undefined ? null : { number, hash },
      faults: faults.current,
    };
  };
}
