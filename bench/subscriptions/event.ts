/** Creates an event: a head of a chain, padded to `bytes`. */
export function createEvent(number: number, bytes: number): Record<string, string> {
  const hash = `0x${number.toString(16).padStart(64, '0')}`;
  return {
    number: `0x${number.toString(16).padStart(8, '0')}`,
    hash,
    parentHash: hash,
    extraData: 'x'.repeat(Math.max(0, bytes - 240)),
  };
}

/** The subscription to these events. */
export const QUERY = 'subscription { head { number hash parentHash extraData } }';

/** The graphql-transport-ws message of an event. */
export const nextMessage = (id: string, number: number, bytes: number): string =>
  JSON.stringify({ id, type: 'next', payload: { data: { head: createEvent(number, bytes) } } });

/** An operation id of the length that clients generate. */
export const operationId = (i: number): string => `7b0c5f0e-4c1d-4a57-9d3e-${i.toString(16).padStart(12, '0')}`;

/** Milliseconds of the monotonic clock, which all processes of a machine share. */
export function now(): number {
  const [seconds, nanos] = process.hrtime();
  return seconds * 1e3 + nanos / 1e6;
}
