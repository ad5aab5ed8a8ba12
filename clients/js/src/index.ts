export type { Backoff } from './backoff.ts';
export { cursorOfEvent, type Document } from './documents.ts';
export {
  type FollowedResult,
  type FollowOptions,
  follow,
  followResults,
  type Interruption,
  type ResumeOptions,
} from './follow.ts';
export {
  type GraphError,
  type GraphResult,
  HttpError,
  type SubscriptionClient,
  SubscriptionError,
  type SubscriptionRequest,
} from './results.ts';
export { isFatal } from './retry.ts';
export type { Hex, ScalarInputs, Scalars } from './scalars.ts';
export { createEventStreamClient, type EventStreamOptions } from './sse.ts';
export {
  formatEther,
  formatGwei,
  formatUnits,
  isSameHex,
  parseEther,
  parseGwei,
  parseUnits,
  shortHex,
  toBigInt,
  toDate,
  toHex,
  toNumber,
} from './values.ts';
