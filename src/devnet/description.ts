import type { NodeServiceEndpoints } from './node-service/index.ts';
import type { TournamentLandmarks } from './tournament/index.ts';
import type { DevnetAccount } from './world/accounts.ts';
import type { DevnetToken } from './world/tokens.ts';

/** A contract of the built history, with where it came from. */
export interface DevnetContract extends DevnetToken {
  /** The transaction that created it. */
  readonly transactionHash: string;
  readonly blockNumber: number;
}

/** The wizard tournament's contract: wizards are its ERC-721 tokens. */
export interface DevnetTournament {
  /** Lower case; the same for every seed. */
  readonly address: string;
  /** The transaction that created it. */
  readonly transactionHash: string;
  readonly blockNumber: number;
}

/** The service that tells of the tournament, with what it asks of its clients. */
export interface DevnetWizardService {
  readonly url: string;
  /** For the header `x-api-token`. */
  readonly token: string;
  /** For the header `x-email`. */
  readonly email: string;
  /** Takes and tells its faults; drawn anew with each start, as that of the node service. */
  readonly control: string;
}

/** Where to find things worth looking at. Blocks by number, transactions by hash; all of them before or in `lastBlock`. */
export interface DevnetLandmarks extends TournamentLandmarks {
  /** 240 transactions. */
  readonly crowdedBlock: number;
  /** No transactions. */
  readonly emptyBlock: number;
  /** A token transfer of more than its sender has: status 0. */
  readonly revertedTransaction: string;
  /** Ether, type 0. */
  readonly legacyTransaction: string;
  /** A token transfer of type 1 whose access list names two storage slots. */
  readonly accessListTransaction: string;
  /** Ether, type 2. */
  readonly feeMarketTransaction: string;
  /** Creates the first token. */
  readonly contractCreation: string;
  /** One Transfer event. */
  readonly tokenTransfer: string;
  /** One Approval event. */
  readonly approval: string;
  /** The last block of the built history; later ones carry the present time. */
  readonly lastBlock: number;
}

/** Everything a client needs to find its way on the embedded chain. Plain JSON; served at `/devnet.json`. */
export interface DevnetDescription {
  readonly chainId: number;
  readonly seed: number;
  /** Seconds between blocks, or null when the chain is still and mines each transaction as it comes. */
  readonly blockTime: number | null;
  /** The chain's own, without a key and with all that it can do: for tests, and tools that mine or move the clock. */
  readonly endpoints: { readonly http: string; readonly ws: string };
  /**
   * The hosted node service over it, key included: what the graph uses, and what a client of a node should. `control` steers the chain
   * and its faults. It is told here because all of this listens on loopback, for whoever runs it; its path is drawn anew with each
   * start, so that nobody has it who has not read this, no page in a browser either.
   */
  readonly nodeService: NodeServiceEndpoints;
  readonly wizardService: DevnetWizardService;
  /** The last one, the guest, is for whoever uses the chain: its own life never spends from it. */
  readonly accounts: readonly DevnetAccount[];
  /** The tokens. */
  readonly contracts: readonly DevnetContract[];
  readonly tournament: DevnetTournament;
  readonly landmarks: DevnetLandmarks;
}
