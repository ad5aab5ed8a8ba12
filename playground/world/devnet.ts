import type { DevnetDescription } from '../../devnet/src/description.ts';
import { keyHeaders } from '../caller-key.ts';
import { devnetUrl } from '../endpoints.ts';

async function readDevnet(): Promise<DevnetDescription | null> {
  const response = await fetch(devnetUrl, { headers: keyHeaders() }).catch(() => undefined);
  return response?.ok ? ((await response.json()) as DevnetDescription) : null;
}

let description: Promise<DevnetDescription | null> | undefined;

/** The description of the embedded network; null over another node. */
export function devnet(): Promise<DevnetDescription | null> {
  description ??= readDevnet();
  return description;
}
