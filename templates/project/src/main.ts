import { createEventStreamClient, follow, type Hex, SubscriptionError, toDate, toNumber } from '@grimoire/client';
import { graphql } from './graph';

const url = import.meta.env.VITE_GRAPH_URL ?? 'http://127.0.0.1:4000/graphql';
/** The first account of the embedded chain, unless the address of the page names another: `?address=0x…`. */
const address = (new URLSearchParams(location.search).get('address') ?? '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266') as Hex;

const query = graphql(`
  subscription Head($after: Bytes32, $address: Address!) {
    newHeads(after: $after) {
      hash
      number
      timestamp
      block {
        id
        account(address: $address) {
          id
          balanceIn(unit: ETHER)
          transactionCount
        }
      }
    }
  }
`);

function show(id: string, text: string): void {
  document.getElementById(id)!.textContent = text;
}

const client = createEventStreamClient({ url });
const onInterruption = () => show('state', 'connecting');

/** Shows each block. Resumes after each lost connection without losing a block. */
async function showBlocks(): Promise<void> {
  for await (const { newHeads } of follow(client, { query, variables: { address }, onInterruption })) {
    show('state', 'live');
    show('block', String(toNumber(newHeads.number)));
    show('time', toDate(newHeads.timestamp).toLocaleTimeString());
    const account = newHeads.block?.account;
    if (!account) continue;
    show('balance', `${account.balanceIn} ether`);
    show('sent', String(toNumber(account.transactionCount)));
  }
}

// The missed blocks can no longer be replayed, for example after a restart of the embedded chain: continue with new ones.
const isExpired = (error: unknown) => error instanceof SubscriptionError && error.code === 'CURSOR_EXPIRED';

show('account', address);
for (let isFollowing = true; isFollowing; ) {
  await showBlocks().catch((error: unknown) => {
    isFollowing = isExpired(error);
    if (!isFollowing) show('state', error instanceof Error ? error.message : String(error));
  });
}
